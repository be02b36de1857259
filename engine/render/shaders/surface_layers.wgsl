// Fills a reflector with what material extensions say about one point of a surface.
#if IRIDESCENCE
#include "thin_film.wgsl"
#endif
#if TRANSMISSION
#include "transmission.wgsl"
#endif

#if SPECULAR
fn set_specular(surface: ptr<function, Reflector>, uv: SurfaceUv, base_color: vec3<f32>, metallic: f32) {
    var strength = material.layers.specular;
    var color = material.layers.specular_color;
#if SPECULAR_TEXTURE
    strength *= textureSample(
        extra_texture_$SPECULAR_TEXTURE, extra_sampler_$SPECULAR_TEXTURE,
        extra_uv(uv, $SPECULAR_TEXTURE)).a;
#endif
#if SPECULAR_COLOR_TEXTURE
    color *= textureSample(
        extra_texture_$SPECULAR_COLOR_TEXTURE, extra_sampler_$SPECULAR_COLOR_TEXTURE,
        extra_uv(uv, $SPECULAR_COLOR_TEXTURE)).rgb;
#endif
    let f0 = min(material.layers.ior_f0 * color, vec3<f32>(1.0)) * strength;
    (*surface).dielectric_f0 = f0;
    (*surface).dielectric_f90 = strength;
    (*surface).f90 = mix(strength, 1.0, metallic);
    (*surface).f0 = mix(f0, base_color, metallic);
}
#endif

#if IRIDESCENCE
fn set_film(surface: ptr<function, Reflector>, uv: SurfaceUv, base_color: vec3<f32>, metallic: f32) {
    var film = material.layers.iridescence;
    var thickness = material.layers.iridescence_thickest;
#if IRIDESCENCE_TEXTURE
    film *= textureSample(
        extra_texture_$IRIDESCENCE_TEXTURE, extra_sampler_$IRIDESCENCE_TEXTURE,
        extra_uv(uv, $IRIDESCENCE_TEXTURE)).r;
#endif
#if IRIDESCENCE_THICKNESS_TEXTURE
    thickness = mix(
        material.layers.iridescence_thinnest, thickness,
        textureSample(
            extra_texture_$IRIDESCENCE_THICKNESS_TEXTURE,
            extra_sampler_$IRIDESCENCE_THICKNESS_TEXTURE,
            extra_uv(uv, $IRIDESCENCE_THICKNESS_TEXTURE)).g);
#endif
    film = select(saturate(film), 0.0, thickness == 0.0);
    let n_dot_v = (*surface).n_dot_v;
#if SPECULAR
    let dielectric_f0 = (*surface).dielectric_f0;
#else
    let dielectric_f0 = vec3<f32>(0.04);
#endif
    let ior = material.layers.iridescence_ior;
    let fresnel = mix(
        thin_film(ior, n_dot_v, thickness, dielectric_f0),
        thin_film(ior, n_dot_v, thickness, base_color), metallic);
    (*surface).film = film;
    (*surface).film_fresnel = fresnel;
}
#endif

#if ANISOTROPY
fn set_anisotropy(surface: ptr<function, Reflector>, uv: SurfaceUv, frame_at: SurfaceFrame) {
    var direction = material.layers.anisotropy_turn;
    var strength = material.layers.anisotropy;
#if ANISOTROPY_TEXTURE
    let texel = textureSample(
        extra_texture_$ANISOTROPY_TEXTURE, extra_sampler_$ANISOTROPY_TEXTURE,
        extra_uv(uv, $ANISOTROPY_TEXTURE)).rgb;
    let turned = normalize(2.0 * texel.rg - 1.0);
    direction = vec2<f32>(
        direction.x * turned.x - direction.y * turned.y,
        direction.y * turned.x + direction.x * turned.y);
    strength *= texel.b;
#endif
    strength = saturate(strength);
    let along = frame_at.tangent * direction.x + frame_at.bitangent * direction.y;
    let across = frame_at.bitangent * direction.x - frame_at.tangent * direction.y;
    (*surface).along = along;
    (*surface).across = across;
    (*surface).alpha_along = mix((*surface).alpha, 1.0, strength * strength);
    // Reflections of the surroundings lean towards the stretched direction (Filament).
    let view = (*surface).view;
    let leaning = normalize(cross(cross(across, view), across));
    let share = 1.0 - strength * (1.0 - (*surface).roughness);
    let upright = share * share * share * share;
    (*surface).bent_normal = normalize(mix(leaning, (*surface).normal, upright));
}
#endif

#if SHEEN
fn set_sheen(surface: ptr<function, Reflector>, uv: SurfaceUv) {
    var color = material.layers.sheen_color;
    var roughness = material.layers.sheen_roughness;
#if SHEEN_COLOR_TEXTURE
    color *= textureSample(
        extra_texture_$SHEEN_COLOR_TEXTURE, extra_sampler_$SHEEN_COLOR_TEXTURE,
        extra_uv(uv, $SHEEN_COLOR_TEXTURE)).rgb;
#endif
#if SHEEN_ROUGHNESS_TEXTURE
    roughness *= textureSample(
        extra_texture_$SHEEN_ROUGHNESS_TEXTURE, extra_sampler_$SHEEN_ROUGHNESS_TEXTURE,
        extra_uv(uv, $SHEEN_ROUGHNESS_TEXTURE)).a;
#endif
    roughness = clamp(roughness, 0.0001, 1.0);
    (*surface).sheen_color = color;
    (*surface).sheen_roughness = max(roughness, 0.01);
    (*surface).sheen_albedo = charlie_albedo(roughness, (*surface).n_dot_v);
}
#endif

#if CLEARCOAT
fn set_coat(surface: ptr<function, Reflector>, uv: SurfaceUv, normal: vec3<f32>, blur: f32) {
    var strength = material.layers.clearcoat;
    var roughness = material.layers.clearcoat_roughness;
#if CLEARCOAT_TEXTURE
    strength *= textureSample(
        extra_texture_$CLEARCOAT_TEXTURE, extra_sampler_$CLEARCOAT_TEXTURE,
        extra_uv(uv, $CLEARCOAT_TEXTURE)).r;
#endif
#if CLEARCOAT_ROUGHNESS_TEXTURE
    roughness *= textureSample(
        extra_texture_$CLEARCOAT_ROUGHNESS_TEXTURE, extra_sampler_$CLEARCOAT_ROUGHNESS_TEXTURE,
        extra_uv(uv, $CLEARCOAT_ROUGHNESS_TEXTURE)).g;
#endif
    strength = saturate(strength);
    (*surface).coat = strength;
    (*surface).coat_normal = normal;
    (*surface).coat_roughness = min(max(roughness, 0.0525) + blur, 1.0);
    (*surface).under_coat =
        1.0 - strength * coat_fresnel(saturate(dot(normal, (*surface).view)));
}
#endif

#if TRANSMISSION
// Replaces a share of the diffuse layer by what is seen through the surface.
fn let_through(
    surface: ptr<function, Reflector>, uv: SurfaceUv, position: vec3<f32>,
    local_scale: vec3<f32>,
) -> vec3<f32> {
    var share = material.layers.transmission;
    var thickness = material.layers.thickness;
#if TRANSMISSION_TEXTURE
    share *= textureSample(
        extra_texture_$TRANSMISSION_TEXTURE, extra_sampler_$TRANSMISSION_TEXTURE,
        extra_uv(uv, $TRANSMISSION_TEXTURE)).r;
#endif
#if THICKNESS_TEXTURE
    thickness *= textureSample(
        extra_texture_$THICKNESS_TEXTURE, extra_sampler_$THICKNESS_TEXTURE,
        extra_uv(uv, $THICKNESS_TEXTURE)).g;
#endif
    let light = share * transmitted(*surface, position, thickness * local_scale, (*surface).diffuse);
    (*surface).diffuse *= 1.0 - share;
    return light;
}
#endif
