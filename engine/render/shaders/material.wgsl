// A surface's parameters and textures (layout: `materials.py`).

struct UvTransform {
    u: vec4<f32>,
    v: vec4<f32>,
}

#if LAYERS
#include "layers.wgsl"
#endif

struct Material {
    base_color: vec4<f32>,
    emissive: vec3<f32>,
    alpha_cutoff: f32,
    metallic: f32,
    roughness: f32,
    normal_scale: f32,
    occlusion_strength: f32,
    uv: array<UvTransform, 5>,
#if LAYERS
    layers: Layers,
#endif
}

@group(1) @binding(0) var<uniform> material: Material;
@group(1) @binding(1) var base_color_texture: texture_2d<f32>;
@group(1) @binding(2) var metallic_roughness_texture: texture_2d<f32>;
@group(1) @binding(3) var normal_texture: texture_2d<f32>;
@group(1) @binding(4) var occlusion_texture: texture_2d<f32>;
@group(1) @binding(5) var emissive_texture: texture_2d<f32>;
@group(1) @binding(6) var base_color_sampler: sampler;
@group(1) @binding(7) var metallic_roughness_sampler: sampler;
@group(1) @binding(8) var normal_sampler: sampler;
@group(1) @binding(9) var occlusion_sampler: sampler;
@group(1) @binding(10) var emissive_sampler: sampler;

struct SurfaceUv {
    uv0: vec2<f32>,
    uv1: vec2<f32>,
}

fn transformed(uv: vec2<f32>, slot: u32) -> vec2<f32> {
    let point = vec3<f32>(uv, 1.0);
    return vec2<f32>(dot(material.uv[slot].u.xyz, point), dot(material.uv[slot].v.xyz, point));
}

fn base_color_uv(in: SurfaceUv) -> vec2<f32> {
#if BASE_COLOR_UV1
    let uv = in.uv1;
#else
    let uv = in.uv0;
#endif
#if BASE_COLOR_TRANSFORM
    return transformed(uv, 0u);
#else
    return uv;
#endif
}

fn metallic_roughness_uv(in: SurfaceUv) -> vec2<f32> {
#if METALLIC_ROUGHNESS_UV1
    let uv = in.uv1;
#else
    let uv = in.uv0;
#endif
#if METALLIC_ROUGHNESS_TRANSFORM
    return transformed(uv, 1u);
#else
    return uv;
#endif
}

fn normal_uv(in: SurfaceUv) -> vec2<f32> {
#if NORMAL_UV1
    let uv = in.uv1;
#else
    let uv = in.uv0;
#endif
#if NORMAL_TRANSFORM
    return transformed(uv, 2u);
#else
    return uv;
#endif
}

fn occlusion_uv(in: SurfaceUv) -> vec2<f32> {
#if OCCLUSION_UV1
    let uv = in.uv1;
#else
    let uv = in.uv0;
#endif
#if OCCLUSION_TRANSFORM
    return transformed(uv, 3u);
#else
    return uv;
#endif
}

fn emissive_uv(in: SurfaceUv) -> vec2<f32> {
#if EMISSIVE_UV1
    let uv = in.uv1;
#else
    let uv = in.uv0;
#endif
#if EMISSIVE_TRANSFORM
    return transformed(uv, 4u);
#else
    return uv;
#endif
}

// Base colour and alpha: factor, texture, vertex colour.
fn surface_color(uv: SurfaceUv, vertex_color: vec4<f32>) -> vec4<f32> {
    var color = material.base_color * vertex_color;
#if BASE_COLOR_TEXTURE
    color *= textureSample(base_color_texture, base_color_sampler, base_color_uv(uv));
#endif
    return color;
}
