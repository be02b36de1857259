// Parameters and textures of material extensions (layout: `material_layers.py`).

struct Layers {
    clearcoat: f32,
    clearcoat_roughness: f32,
    clearcoat_normal_scale: f32,
    dispersion: f32,
    sheen_color: vec3<f32>,
    sheen_roughness: f32,
    specular_color: vec3<f32>,
    specular: f32,
    ior: f32,
    transmission: f32,
    thickness: f32,
    ior_f0: f32,
    // Per metre.
    absorption: vec3<f32>,
    iridescence: f32,
    iridescence_ior: f32,
    iridescence_thinnest: f32,
    iridescence_thickest: f32,
    anisotropy: f32,
    // Cosine and sine of the turn from the tangent.
    anisotropy_turn: vec2<f32>,
    // The w of its u row names the UV set.
    uv: array<UvTransform, 7>,
}

@group(1) @binding(11) var extra_texture_0: texture_2d<f32>;
@group(1) @binding(12) var extra_texture_1: texture_2d<f32>;
@group(1) @binding(13) var extra_texture_2: texture_2d<f32>;
@group(1) @binding(14) var extra_texture_3: texture_2d<f32>;
@group(1) @binding(15) var extra_texture_4: texture_2d<f32>;
@group(1) @binding(16) var extra_texture_5: texture_2d<f32>;
@group(1) @binding(17) var extra_texture_6: texture_2d<f32>;
@group(1) @binding(18) var extra_sampler_0: sampler;
@group(1) @binding(19) var extra_sampler_1: sampler;
@group(1) @binding(20) var extra_sampler_2: sampler;
@group(1) @binding(21) var extra_sampler_3: sampler;
@group(1) @binding(22) var extra_sampler_4: sampler;
@group(1) @binding(23) var extra_sampler_5: sampler;
@group(1) @binding(24) var extra_sampler_6: sampler;

fn extra_uv(in: SurfaceUv, number: u32) -> vec2<f32> {
    let rows = material.layers.uv[number];
    let point = vec3<f32>(select(in.uv0, in.uv1, rows.u.w > 0.5), 1.0);
    return vec2<f32>(dot(rows.u.xyz, point), dot(rows.v.xyz, point));
}
