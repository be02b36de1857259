// Picking: the row of the nearest instance (plus one), and its depth where it is asked for.
#include "varyings.wgsl"
#include "varying_uv.wgsl"

@fragment
fn fragment(in: Varyings) -> @location(0) u32 {
#if MASK
    if (surface_color(varying_uv(in), varying_color(in)).a < material.alpha_cutoff) {
        discard;
    }
#endif
    return in.row + 1u;
}
