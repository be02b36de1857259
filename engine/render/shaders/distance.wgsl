// Distance from the camera along its view, with the holes of masked surfaces.
#include "varyings.wgsl"
#include "varying_uv.wgsl"

@fragment
fn fragment(in: Varyings) -> @location(0) u32 {
#if MASK
    if (surface_color(varying_uv(in), varying_color(in)).a < material.alpha_cutoff) {
        discard;
    }
#endif
    let distance = -(vec4<f32>(in.position, 1.0) * frame.view_from_world).z;
    return bitcast<u32>(distance);
}
