//===- TileOps.td - All ops of the tile dialect -----------*- tablegen -*-===//

#ifndef TILE_OPS
#define TILE_OPS

include "TileStructureOps.td"
include "TileMemoryOps.td"
include "TileMatmulOps.td"
include "TileShapeOps.td"
include "TileSyncOps.td"

#endif // TILE_OPS
