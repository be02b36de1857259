// Light that comes through a surface: the picture of what lies behind, read where the refracted
// ray leaves the volume, blurred by roughness, absorbed on the way (KHR_materials_transmission,
// _volume and _dispersion).

@group(0) @binding(11) var behind_texture: texture_2d<f32>;

// One level, read through a cubic B-spline by four bilinear samples (Sigg and Hadwiger, GPU Gems
// 2, chapter 20), so that enlarged levels show no squares.
fn behind_level(uv: vec2<f32>, level: f32) -> vec4<f32> {
    let size = vec2<f32>(textureDimensions(behind_texture, u32(level)));
    let point = uv * size + 0.5;
    let f = fract(point);
    let at = floor(point);
    let g = 1.0 - f;
    let w0 = g * g * g / 6.0;
    let w1 = (f * f * (3.0 * f - 6.0) + 4.0) / 6.0;
    let w3 = f * f * f / 6.0;
    let near = w0 + w1;
    let far = 1.0 - near;
    let low = (at - 1.0 + w1 / near - 0.5) / size;
    let high = (at + 1.0 + w3 / far - 0.5) / size;
    return near.y * (near.x * behind_texel(vec2<f32>(low.x, low.y), level)
            + far.x * behind_texel(vec2<f32>(high.x, low.y), level))
        + far.y * (near.x * behind_texel(vec2<f32>(low.x, high.y), level)
            + far.x * behind_texel(vec2<f32>(high.x, high.y), level));
}

fn behind_texel(uv: vec2<f32>, level: f32) -> vec4<f32> {
    return textureSampleLevel(behind_texture, linear_sampler, uv, level);
}

fn behind(position: vec3<f32>, roughness: f32, ior: f32) -> vec3<f32> {
    let clip = vec4<f32>(position, 1.0) * frame.clip_from_world;
    let uv = clip.xy / clip.w * vec2<f32>(0.5, -0.5) + 0.5;
    // Nothing bends at an IOR of 1, so nothing blurs either.
    let blur = roughness * clamp(2.0 * ior - 2.0, 0.0, 1.0);
    let level = log2(f32(textureDimensions(behind_texture, 0).x)) * blur;
    let last = f32(textureNumLevels(behind_texture) - 1u);
    let fine = behind_level(uv, min(floor(level), last));
    let coarse = behind_level(uv, min(ceil(level), last));
    return mix(fine, coarse, fract(level)).rgb;
}

fn way_through(surface: Reflector, ior: f32, thickness: vec3<f32>) -> vec3<f32> {
    return normalize(refract(-surface.view, surface.normal, 1.0 / ior)) * thickness;
}

// `thickness` along the world's image of each local axis; `tint` is the base colour.
fn transmitted(
    surface: Reflector, position: vec3<f32>, thickness: vec3<f32>, tint: vec3<f32>,
) -> vec3<f32> {
    let ior = material.layers.ior;
    var light: vec3<f32>;
#if DISPERSION
    let spread = (ior - 1.0) * 0.025 * material.layers.dispersion;
    for (var channel = 0u; channel < 3u; channel++) {
        let bent = ior + (f32(channel) - 1.0) * spread;
        let way = way_through(surface, bent, thickness);
        let absorbed = exp(-material.layers.absorption[channel] * length(way));
        light[channel] = absorbed * behind(position + way, surface.roughness, bent)[channel];
    }
#else
    let way = way_through(surface, ior, thickness);
    light = behind(position + way, surface.roughness, ior);
#if VOLUME
    light *= exp(-material.layers.absorption * length(way));
#endif
#endif
#if SPECULAR
    let mirrored = surface.f0 * surface.dfg.x + surface.f90 * surface.dfg.y;
#else
    let mirrored = surface.f0 * surface.dfg.x + surface.dfg.y;
#endif
    return light * tint * (1.0 - mirrored);
}
