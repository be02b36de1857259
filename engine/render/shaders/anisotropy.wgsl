// The GGX lobe stretched along a direction in the surface (KHR_materials_anisotropy).

fn stretched_lobe(
    surface: Reflector, towards_light: vec3<f32>, half_vector: vec3<f32>, n_dot_l: f32,
    n_dot_h: f32,
) -> f32 {
    let t = surface.alpha_along;
    let b = surface.alpha;
    let scaled = vec3<f32>(
        b * dot(surface.along, half_vector), t * dot(surface.across, half_vector),
        t * b * n_dot_h);
    let ratio = t * b / dot(scaled, scaled);
    let distribution = t * b * ratio * ratio / PI;
    let view = vec3<f32>(
        t * dot(surface.along, surface.view), b * dot(surface.across, surface.view),
        surface.n_dot_v);
    let light = vec3<f32>(
        t * dot(surface.along, towards_light), b * dot(surface.across, towards_light), n_dot_l);
    let visibility =
        0.5 / max(n_dot_l * length(view) + surface.n_dot_v * length(light), 1e-6);
    return distribution * visibility;
}
