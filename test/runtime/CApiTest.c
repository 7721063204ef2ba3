/*===-- CApiTest.c - The C interface from C, in the shared library --------===*/

#include "tilert/tilert.h"

#include <stdio.h>

int main(void) {
  tilert_module *module = NULL;
  tilert_status *status = NULL;
  const char manifest[] = "{\"format_version\": 7}";
  float one = 1.0f;
  tilert_argument argument = tilert_f32_argument(one);
  if (tilert_version() != TILERT_VERSION)
    return 1;
  if (argument.kind != TILERT_SCALAR ||
      memcmp(&argument.value.scalar.bits, &one, sizeof one) != 0)
    return 2;
  if (tilert_module_from_manifest(manifest, sizeof manifest - 1, &module,
                                  &status) != TILERT_INVALID_MANIFEST)
    return 3;
  if (module != NULL || status == NULL)
    return 4;
  puts(tilert_status_message(status));
  tilert_status_destroy(status);
  return 0;
}
