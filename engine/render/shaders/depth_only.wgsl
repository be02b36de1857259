// Shadow casters: depth, with the holes of masked surfaces.
#include "varyings.wgsl"
#include "varying_uv.wgsl"

@fragment
fn fragment(in: Varyings) {
#if MASK
    if (surface_color(varying_uv(in), varying_color(in)).a < material.alpha_cutoff) {
        discard;
    }
#endif
}
