// A clear varnish of IOR 1.5 over everything else (KHR_materials_clearcoat).

fn coat_fresnel(cosine: f32) -> f32 {
    let weight = fresnel_weight(cosine);
    return 0.04 * (1.0 - weight) + weight;
}

fn under_coat(
    surface: Reflector, below: vec3<f32>, towards_light: vec3<f32>, half_vector: vec3<f32>,
) -> vec3<f32> {
    let n_dot_l = saturate(dot(surface.coat_normal, towards_light));
    let n_dot_v = saturate(dot(surface.coat_normal, surface.view));
    let n_dot_h = saturate(dot(surface.coat_normal, half_vector));
    let roughness = surface.coat_roughness;
    let lobe = ggx_lobe(roughness * roughness, n_dot_l, n_dot_v, n_dot_h);
    let fresnel = coat_fresnel(saturate(dot(surface.view, half_vector)));
    return below * surface.under_coat + surface.coat * fresnel * lobe * n_dot_l;
}
