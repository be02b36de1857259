// The metallic-roughness reflection model: GGX with height-correlated Smith visibility, Schlick's
// Fresnel, and compensation for light that bounces between microfacets more than once. Layers of
// material extensions are in `coat.wgsl`, `sheen.wgsl`, `thin_film.wgsl`, `anisotropy.wgsl`.

const PI = 3.14159265358979;

@group(0) @binding(7) var dfg_texture: texture_2d<f32>;
@group(0) @binding(8) var linear_sampler: sampler;

struct Reflector {
    normal: vec3<f32>,
    view: vec3<f32>,
    n_dot_v: f32,
    alpha: f32,
    roughness: f32,
    diffuse: vec3<f32>,
    f0: vec3<f32>,
    // Scale and bias of F0 in the albedo of a single bounce.
    dfg: vec2<f32>,
    compensation: vec3<f32>,
#if SPECULAR
    dielectric_f0: vec3<f32>,
    dielectric_f90: f32,
    f90: f32,
#endif
#if IRIDESCENCE
    film: f32,
    film_fresnel: vec3<f32>,
#endif
#if ANISOTROPY
    alpha_along: f32,
    along: vec3<f32>,
    across: vec3<f32>,
    bent_normal: vec3<f32>,
#endif
#if SHEEN
    sheen_color: vec3<f32>,
    sheen_roughness: f32,
    sheen_albedo: f32,
#endif
#if CLEARCOAT
    coat: f32,
    coat_normal: vec3<f32>,
    coat_roughness: f32,
    // What the coat lets through.
    under_coat: f32,
#endif
}

#if SHEEN
#include "sheen.wgsl"
#endif
#if CLEARCOAT
#include "coat.wgsl"
#endif
#if ANISOTROPY
#include "anisotropy.wgsl"
#endif

fn split_sum(roughness: f32, n_dot_v: f32) -> vec2<f32> {
    return textureSampleLevel(
        dfg_texture, linear_sampler, vec2<f32>(roughness, n_dot_v), 0.0).xy;
}

fn make_reflector(
    normal: vec3<f32>, view: vec3<f32>, base_color: vec3<f32>, metallic: f32, roughness: f32,
) -> Reflector {
    var out: Reflector;
    out.normal = normal;
    out.view = view;
    out.n_dot_v = saturate(dot(normal, view));
    out.roughness = roughness;
    out.alpha = roughness * roughness;
    out.diffuse = base_color * (1.0 - metallic);
    out.f0 = mix(vec3<f32>(0.04), base_color, metallic);
    out.dfg = split_sum(roughness, out.n_dot_v);
    let single = out.dfg.x + out.dfg.y;
    out.compensation = 1.0 + out.f0 * (1.0 / single - 1.0);
    return out;
}

// A fit of (1 - v_dot_h)^5.
fn fresnel_weight(v_dot_h: f32) -> f32 {
    return exp2((-5.55473 * v_dot_h - 6.98316) * v_dot_h);
}

fn ggx_lobe(alpha: f32, n_dot_l: f32, n_dot_v: f32, n_dot_h: f32) -> f32 {
    let a2 = alpha * alpha;
    let spread = n_dot_h * n_dot_h * (a2 - 1.0) + 1.0;
    let distribution = a2 / (PI * spread * spread);
    let visibility = 0.5 / max(
        n_dot_l * sqrt(a2 + (1.0 - a2) * n_dot_v * n_dot_v)
            + n_dot_v * sqrt(a2 + (1.0 - a2) * n_dot_l * n_dot_l),
        1e-6);
    return visibility * distribution;
}

fn reflect_light(surface: Reflector, towards_light: vec3<f32>, irradiance: vec3<f32>) -> vec3<f32> {
    let half_vector = normalize(surface.view + towards_light);
    let n_dot_l = saturate(dot(surface.normal, towards_light));
    let n_dot_h = saturate(dot(surface.normal, half_vector));
    let v_dot_h = saturate(dot(surface.view, half_vector));
#if ANISOTROPY
    let lobe = stretched_lobe(surface, towards_light, half_vector, n_dot_l, n_dot_h);
#else
    let lobe = ggx_lobe(surface.alpha, n_dot_l, surface.n_dot_v, n_dot_h);
#endif
    let weight = fresnel_weight(v_dot_h);
#if SPECULAR
    var fresnel = surface.f0 * (1.0 - weight) + surface.f90 * weight;
    let dielectric = surface.dielectric_f0 * (1.0 - weight) + surface.dielectric_f90 * weight;
#else
    var fresnel = surface.f0 * (1.0 - weight) + weight;
    let dielectric = 0.04 * (1.0 - weight) + weight;
#endif
#if IRIDESCENCE
    fresnel = mix(fresnel, surface.film_fresnel, surface.film);
#endif
    let specular = fresnel * lobe * surface.compensation;
    let diffuse = surface.diffuse * ((1.0 - dielectric) / PI);
    var reflected = (specular + diffuse) * n_dot_l;
#if SHEEN
    reflected = under_sheen(surface, reflected, towards_light, n_dot_l, n_dot_h);
#endif
#if CLEARCOAT
    reflected = under_coat(surface, reflected, towards_light, half_vector);
#endif
    return irradiance * reflected;
}

// Share of light that a dielectric reflects before it reaches the diffuse layer, both bounces.
#if SPECULAR
fn dielectric_albedo(surface: Reflector) -> vec3<f32> {
    let single = surface.dielectric_f0 * surface.dfg.x + surface.dielectric_f90 * surface.dfg.y;
    let average = surface.dielectric_f0 + (1.0 - surface.dielectric_f0) / 21.0;
#else
fn dielectric_albedo(surface: Reflector) -> f32 {
    let single = 0.04 * surface.dfg.x + surface.dfg.y;
    let average = 0.04 + (1.0 - 0.04) / 21.0;
#endif
    let missing = 1.0 - (surface.dfg.x + surface.dfg.y);
    let multiple = single * average / (1.0 - missing * average);
    return single + multiple * missing;
}

fn reflect_irradiance(surface: Reflector, irradiance: vec3<f32>) -> vec3<f32> {
    var reflected = surface.diffuse * ((1.0 - dielectric_albedo(surface)) / PI);
#if SHEEN
    reflected *= sheen_share(surface, surface.sheen_albedo);
    reflected += surface.sheen_color * (surface.sheen_albedo / PI);
#endif
#if CLEARCOAT
    reflected *= surface.under_coat;
#endif
    return irradiance * reflected;
}
