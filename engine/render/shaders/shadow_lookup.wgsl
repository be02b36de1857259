// Soft shadow of one directional light: 5 x 5 bilinear comparisons, weighted like a tent.

@group(0) @binding(9) var shadow_map: texture_depth_2d;
@group(0) @binding(10) var shadow_sampler: sampler_comparison;

fn sunlit(position: vec3<f32>, normal: vec3<f32>, towards_light: vec3<f32>) -> f32 {
    let slope = 1.0 - saturate(dot(normal, towards_light));
    let lifted = position + normal * (frame.shadow_bias * (0.5 + 2.5 * slope));
    let shadow = vec4<f32>(lifted, 1.0) * frame.shadow_from_world;
    let uv = vec2<f32>(0.5, -0.5) * shadow.xy + 0.5;
    if (any(abs(shadow.xy) > vec2<f32>(0.995)) || shadow.z < 0.0 || shadow.z > 1.0) {
        return 1.0;
    }
    var sum = 0.0;
    for (var y = -2; y <= 2; y++) {
        for (var x = -2; x <= 2; x++) {
            let weight = f32((3 - abs(x)) * (3 - abs(y)));
            let tap = uv + vec2<f32>(f32(x), f32(y)) * frame.shadow_texel;
            sum += weight * textureSampleCompareLevel(shadow_map, shadow_sampler, tap, shadow.z);
        }
    }
    return sum / 81.0;
}
