// The UV sets of a fragment; a set that the mesh lacks is zero.
#include "material.wgsl"

fn varying_uv(in: Varyings) -> SurfaceUv {
    var uv: SurfaceUv;
#if TEXTURED
    uv.uv0 = in.uv0;
#if UV1
    uv.uv1 = in.uv1;
#endif
#endif
    return uv;
}
