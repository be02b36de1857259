// The metallic-roughness reflection model: GGX with height-correlated Smith visibility, Schlick's
// Fresnel, and compensation for light that bounces between microfacets more than once.

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
    out.dfg = textureSampleLevel(
        dfg_texture, linear_sampler, vec2<f32>(roughness, out.n_dot_v), 0.0).xy;
    let single = out.dfg.x + out.dfg.y;
    out.compensation = 1.0 + out.f0 * (1.0 / single - 1.0);
    return out;
}

// A fit of (1 - v_dot_h)^5.
fn fresnel_weight(v_dot_h: f32) -> f32 {
    return exp2((-5.55473 * v_dot_h - 6.98316) * v_dot_h);
}

fn reflect_light(surface: Reflector, towards_light: vec3<f32>, irradiance: vec3<f32>) -> vec3<f32> {
    let half_vector = normalize(surface.view + towards_light);
    let n_dot_l = saturate(dot(surface.normal, towards_light));
    let n_dot_h = saturate(dot(surface.normal, half_vector));
    let v_dot_h = saturate(dot(surface.view, half_vector));
    let a2 = surface.alpha * surface.alpha;
    let spread = n_dot_h * n_dot_h * (a2 - 1.0) + 1.0;
    let distribution = a2 / (PI * spread * spread);
    let n_dot_v = surface.n_dot_v;
    let visibility = 0.5 / max(
        n_dot_l * sqrt(a2 + (1.0 - a2) * n_dot_v * n_dot_v)
            + n_dot_v * sqrt(a2 + (1.0 - a2) * n_dot_l * n_dot_l),
        1e-6);
    let weight = fresnel_weight(v_dot_h);
    let fresnel = surface.f0 * (1.0 - weight) + weight;
    let dielectric = 0.04 * (1.0 - weight) + weight;
    let specular = fresnel * (visibility * distribution) * surface.compensation;
    let diffuse = surface.diffuse * ((1.0 - dielectric) / PI);
    return irradiance * n_dot_l * (specular + diffuse);
}

// Share of light that a dielectric reflects before it reaches the diffuse layer, both bounces.
fn dielectric_albedo(surface: Reflector) -> f32 {
    let single = 0.04 * surface.dfg.x + surface.dfg.y;
    let missing = 1.0 - (surface.dfg.x + surface.dfg.y);
    let average = 0.04 + (1.0 - 0.04) / 21.0;
    let multiple = single * average / (1.0 - missing * average);
    return single + multiple * missing;
}

fn reflect_irradiance(surface: Reflector, irradiance: vec3<f32>) -> vec3<f32> {
    return irradiance * surface.diffuse * ((1.0 - dielectric_albedo(surface)) / PI);
}
