// Soft shadow of one directional light: a tent of 3 x 3 texels with bilinear steps.

@group(0) @binding(9) var shadow_map: texture_depth_2d;
@group(0) @binding(10) var shadow_sampler: sampler_comparison;

// Two by two comparisons, weighted by column and row.
fn compared(corner: vec2<f32>, depth: f32, columns: vec2<f32>, rows: vec2<f32>) -> f32 {
    let lit = textureGatherCompare(shadow_map, shadow_sampler, corner, depth);
    return rows.x * (columns.x * lit.w + columns.y * lit.z)
        + rows.y * (columns.x * lit.x + columns.y * lit.y);
}

fn sunlit(position: vec3<f32>, normal: vec3<f32>, towards_light: vec3<f32>) -> f32 {
    if (dot(normal, towards_light) <= 0.0) {
        return 0.0;
    }
    let slope = 1.0 - saturate(dot(normal, towards_light));
    let lifted = position + normal * (frame.shadow_bias * (0.5 + 2.5 * slope));
    let shadow = vec4<f32>(lifted, 1.0) * frame.shadow_from_world;
    let uv = vec2<f32>(0.5, -0.5) * shadow.xy + 0.5;
    if (any(abs(shadow.xy) > vec2<f32>(0.995)) || shadow.z < 0.0 || shadow.z > 1.0) {
        return 1.0;
    }
    let texel = uv / frame.shadow_texel - 0.5;
    let f = fract(texel);
    let corner = (floor(texel) + 1.0) * frame.shadow_texel;
    let low = 1.0 - f;
    // A tent of three texels, moved by the fraction: weights of four texels along each axis.
    let left = vec2<f32>(low.x, 1.0 + low.x);
    let right = vec2<f32>(1.0 + f.x, f.x);
    let above = vec2<f32>(low.y, 1.0 + low.y);
    let below = vec2<f32>(1.0 + f.y, f.y);
    let at = corner - frame.shadow_texel;
    let past = corner + frame.shadow_texel;
    let sum = compared(at, shadow.z, left, above)
        + compared(vec2<f32>(past.x, at.y), shadow.z, right, above)
        + compared(vec2<f32>(at.x, past.y), shadow.z, left, below)
        + compared(past, shadow.z, right, below);
    return sum / 16.0;
}
