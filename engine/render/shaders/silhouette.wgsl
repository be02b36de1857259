// Where selected instances are: 1 where they are seen, 0.45 where something nearer hides them.
#include "varyings.wgsl"
#include "varying_uv.wgsl"

#if SCENE_DEPTH
#if MULTISAMPLED
@group(3) @binding(0) var scene_depth: texture_depth_multisampled_2d;
#else
@group(3) @binding(0) var scene_depth: texture_depth_2d;
#endif
#endif

@fragment
fn fragment(in: Varyings) -> @location(0) f32 {
#if MASK
    if (surface_color(varying_uv(in), varying_color(in)).a < material.alpha_cutoff) {
        discard;
    }
#endif
#if SCENE_DEPTH
    let pixel = vec2<i32>(in.clip.xy);
    var nearest = textureLoad(scene_depth, pixel, 0);
#if MULTISAMPLED
    for (var k = 1; k < 4; k++) {
        nearest = min(nearest, textureLoad(scene_depth, pixel, k));
    }
#endif
    let hidden = in.clip.z * 1.002 + 1e-7 < nearest;
    return select(1.0, 0.45, hidden);
#else
    return 1.0;
#endif
}
