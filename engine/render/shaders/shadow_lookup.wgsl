// Soft shadows from maps in the layers of a depth texture: a tent of 3 x 3 texels with bilinear
// steps. Layout of the views: `shadow_painter.py`.

struct ShadowView {
    clip_from_world: mat4x4<f32>,
    // Corner and size of its tile in UV, and its layer.
    tile: vec4<f32>,
    bias: f32,
    // 1 where a texel's width grows with distance.
    perspective: f32,
    pad: vec2<f32>,
}

@group(0) @binding(9) var shadow_map: texture_depth_2d_array;
@group(0) @binding(10) var shadow_sampler: sampler_comparison;
@group(0) @binding(12) var<storage, read> shadow_views: array<ShadowView>;

const SHADOW_TEXEL = 1.0 / 2048.0;

// Two by two comparisons, weighted by column and row.
fn compared(
    corner: vec2<f32>, layer: i32, depth: f32, columns: vec2<f32>, rows: vec2<f32>,
) -> f32 {
    let lit = textureGatherCompare(shadow_map, shadow_sampler, corner, layer, depth);
    return rows.x * (columns.x * lit.w + columns.y * lit.z)
        + rows.y * (columns.x * lit.x + columns.y * lit.y);
}

fn tent(uv: vec2<f32>, layer: i32, depth: f32) -> f32 {
    let texel = uv / SHADOW_TEXEL - 0.5;
    let f = fract(texel);
    let corner = (floor(texel) + 1.0) * SHADOW_TEXEL;
    let low = 1.0 - f;
    // A tent of three texels, moved by the fraction: weights of four texels along each axis.
    let left = vec2<f32>(low.x, 1.0 + low.x);
    let right = vec2<f32>(1.0 + f.x, f.x);
    let above = vec2<f32>(low.y, 1.0 + low.y);
    let below = vec2<f32>(1.0 + f.y, f.y);
    let at = corner - SHADOW_TEXEL;
    let past = corner + SHADOW_TEXEL;
    let sum = compared(at, layer, depth, left, above)
        + compared(vec2<f32>(past.x, at.y), layer, depth, right, above)
        + compared(vec2<f32>(at.x, past.y), layer, depth, left, below)
        + compared(past, layer, depth, right, below);
    return sum / 16.0;
}

// Where a point, lifted off its surface by what a texel covers, is in a map.
fn in_shadow_view(
    number: u32, position: vec3<f32>, normal: vec3<f32>, towards_light: vec3<f32>,
) -> vec3<f32> {
    let slope = 1.0 - saturate(dot(normal, towards_light));
    var lift = shadow_views[number].bias * (0.5 + 2.5 * slope);
#if LOCAL_SHADOWS
    let distance = (vec4<f32>(position, 1.0) * shadow_views[number].clip_from_world).w;
    lift *= mix(1.0, distance, shadow_views[number].perspective);
#endif
    let clip = vec4<f32>(position + normal * lift, 1.0) * shadow_views[number].clip_from_world;
#if LOCAL_SHADOWS
    if (clip.w <= 0.0) {
        return vec3<f32>(2.0);
    }
    return clip.xyz / clip.w;
#else
    return clip.xyz;
#endif
}

fn covers(at: vec3<f32>) -> bool {
    return all(abs(at.xy) <= vec2<f32>(0.995)) && at.z >= 0.0 && at.z <= 1.0;
}

fn seen_by_light(number: u32, at: vec3<f32>) -> f32 {
    let tile = shadow_views[number].tile;
    let uv = tile.xy + tile.z * (vec2<f32>(0.5, -0.5) * at.xy + 0.5);
    return tent(uv, i32(tile.w), at.z);
}

#if SHADOWS
fn sunlit(position: vec3<f32>, normal: vec3<f32>, towards_light: vec3<f32>) -> f32 {
    if (dot(normal, towards_light) <= 0.0) {
        return 0.0;
    }
#if CASCADES
    for (var k = 0u; k < frame.cascades; k++) {
        let at = in_shadow_view(k, position, normal, towards_light);
        if (!covers(at)) {
            continue;
        }
        let lit = seen_by_light(k, at);
        let edge = max(abs(at.x), abs(at.y));
        if (edge < 0.9 || k + 1u == frame.cascades) {
            return lit;
        }
        // The next map takes over within the last tenth.
        let next = seen_by_light(k + 1u, in_shadow_view(k + 1u, position, normal, towards_light));
        return mix(lit, next, smoothstep(0.9, 0.995, edge));
    }
    return 1.0;
#else
    let at = in_shadow_view(0u, position, normal, towards_light);
    if (!covers(at)) {
        return 1.0;
    }
    return seen_by_light(0u, at);
#endif
}
#endif

#if LOCAL_SHADOWS
fn shadowed_light(
    light: Light, position: vec3<f32>, normal: vec3<f32>, towards_light: vec3<f32>,
) -> f32 {
    if (light.shadow_view < 0.0 || dot(normal, towards_light) <= 0.0) {
        return 1.0;
    }
    var number = u32(light.shadow_view);
    if (light.kind == 1u) {
        // The face of a cube around the light that looks this way.
        let size = abs(towards_light);
        if (size.x >= size.y && size.x >= size.z) {
            number += select(1u, 0u, towards_light.x < 0.0);
        } else if (size.y >= size.z) {
            number += select(3u, 2u, towards_light.y < 0.0);
        } else {
            number += select(5u, 4u, towards_light.z < 0.0);
        }
    }
    let at = in_shadow_view(number, position, normal, towards_light);
    if (!covers(at)) {
        return 1.0;
    }
    return seen_by_light(number, at);
}
#endif
