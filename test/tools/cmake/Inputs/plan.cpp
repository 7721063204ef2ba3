// Plans a launch of a kernel that is compiled into this program, which needs no
// GPU: the grid shows the size bound here and the constant given in CMake.
#include "scale.hpp"

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> x(1000), y(1000);
  tilert::Tensor in(x.data(), TILERT_F32, {1000}, TILERT_DEVICE_HOST);
  tilert::Tensor out(y.data(), TILERT_F32, {1000}, TILERT_DEVICE_HOST);
  // Taking its address shows that the typed function exists.
  void (*launch)(tilert_stream, const tilert::Tensor &, const tilert::Tensor &,
                 float) = scale::scale;
  tilert_device_facts facts{};
  tilert_device_facts_of_target("sm_80", &facts, nullptr);
  auto plan = scale::module().kernel("scale").plan(&facts, in, out, 2.0f);
  std::printf("%s\n", plan.text());
  return launch && plan.grid() == 4 ? 0 : 1;
}
