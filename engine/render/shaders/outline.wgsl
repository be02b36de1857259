// An outline around what `silhouette.wgsl` marked: outside it, WIDTH pixels wide, soft edged.
#include "fullscreen_vertex.wgsl"

@group(0) @binding(0) var silhouette: texture_2d<f32>;

// #ffb347
const OUTLINE = vec3<f32>(1.0, 0.4508, 0.0630);
const WIDTH = $WIDTH;
const REACH = i32(ceil(WIDTH));

@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(in.position.xy);
    let last = vec2<i32>(textureDimensions(silhouette)) - 1;
    if (textureLoad(silhouette, pixel, 0).r > 0.0) {
        discard;
    }
    var strength = 0.0;
    for (var y = -REACH; y <= REACH; y++) {
        for (var x = -REACH; x <= REACH; x++) {
            let at = clamp(pixel + vec2<i32>(x, y), vec2<i32>(0), last);
            let nearness = saturate(WIDTH + 0.6 - length(vec2<f32>(f32(x), f32(y))));
            strength = max(strength, textureLoad(silhouette, at, 0).r * nearness);
        }
    }
    return vec4<f32>(OUTLINE, strength);
}
