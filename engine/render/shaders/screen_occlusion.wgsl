// Ambient occlusion at a pixel: of the four texels around it, those of the same surface.

@group(0) @binding(11) var occlusion_of_screen: texture_2d<f32>;

fn screen_occlusion(pixel: vec2<f32>, position: vec3<f32>) -> f32 {
    let size = vec2<f32>(textureDimensions(occlusion_of_screen));
    let at = pixel / frame.viewport * size - 0.5;
    let first = floor(at);
    let f = at - first;
    let distance = log2(max(-(vec4<f32>(position, 1.0) * frame.view_from_world).z, 1e-6));
    var sum = vec2<f32>(1e-3, 1e-3);
    for (var k = 0u; k < 4u; k++) {
        let corner = vec2<f32>(f32(k & 1u), f32(k >> 1u));
        let texel = vec2<i32>(clamp(first + corner, vec2<f32>(0.0), size - 1.0));
        let found = textureLoad(occlusion_of_screen, texel, 0).rg;
        let share = mix(1.0 - f, f, corner);
        let near = saturate(1.0 - 8.0 * abs(found.g - distance));
        sum += share.x * share.y * near * vec2<f32>(found.r, 1.0);
    }
    return sum.x / sum.y;
}
