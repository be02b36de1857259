// Picking: the row of the nearest instance (plus one), and the bits of its depth.
#include "varyings.wgsl"
#include "varying_uv.wgsl"

@fragment
fn fragment(in: Varyings) -> @location(0) vec2<u32> {
#if MASK
    if (surface_color(varying_uv(in), varying_color(in)).a < material.alpha_cutoff) {
        discard;
    }
#endif
    return vec2<u32>(in.row + 1u, bitcast<u32>(in.clip.z));
}
