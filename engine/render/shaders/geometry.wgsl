// A mesh's vertex in the world: morph targets, then the skin, then the instance.
#include "frame.wgsl"

struct VertexIn {
    @builtin(instance_index) instance: u32,
    @builtin(vertex_index) vertex: u32,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv0: vec2<f32>,
#if TANGENTS
    @location(3) tangent: vec4<f32>,
#endif
#if UV1
    @location(4) uv1: vec2<f32>,
#endif
#if COLORS
    @location(5) color: vec4<f32>,
#endif
#if SKIN
    @location(6) joints: vec4<u32>,
    @location(7) weights: vec4<f32>,
#endif
}

struct Placed {
    clip: vec4<f32>,
    position: vec3<f32>,
    normal: vec3<f32>,
    tangent: vec3<f32>,
    row: u32,
}

#if MORPH
struct MorphDelta {
    position: vec4<f32>,
    normal: vec4<f32>,
    tangent: vec4<f32>,
}
@group(2) @binding(0) var<storage, read> morph_deltas: array<MorphDelta>;
#endif

#if SKIN
fn skin_matrix(first: u32, index: vec4<u32>, weight: vec4<f32>) -> mat4x4<f32> {
    return joints[first + index.x] * weight.x + joints[first + index.y] * weight.y
        + joints[first + index.z] * weight.z + joints[first + index.w] * weight.w;
}
#endif

fn place(in: VertexIn) -> Placed {
    // Its highest bits hold the level of detail.
    let row = order[in.instance] & 0x0fffffffu;
    let matrix = instances[row];
    var position = in.position;
    var normal = in.normal;
    var tangent = vec3<f32>(1.0, 0.0, 0.0);
#if TANGENTS
    tangent = in.tangent.xyz;
#endif
#if MORPH
    let morphs = instance_info[row];
    for (var k = 0; k < morphs.z; k++) {
        let weight = morph_weights[morphs.y + k];
        let delta = morph_deltas[u32(k * morphs.w) + in.vertex];
        position += weight * delta.position.xyz;
        normal += weight * delta.normal.xyz;
        tangent += weight * delta.tangent.xyz;
    }
#endif
#if SKIN
    let first = instance_info[row].x;
    if (first >= 0) {
        let skin = skin_matrix(u32(first), in.joints, in.weights);
        position = (vec4<f32>(position, 1.0) * skin).xyz;
        normal = (vec4<f32>(normal, 0.0) * skin).xyz;
        tangent = (vec4<f32>(tangent, 0.0) * skin).xyz;
    }
#endif
    // Rows of the instance's 3x3 part; their cross products are the rows of its cofactor matrix,
    // which turns normals right under any scale (its sign is that of the determinant).
    let x = matrix[0].xyz;
    let y = matrix[1].xyz;
    let z = matrix[2].xyz;
    let yz = cross(y, z);
    let facing = select(-1.0, 1.0, dot(x, yz) >= 0.0);
    var out: Placed;
    out.position = (vec4<f32>(position, 1.0) * matrix).xyz;
    out.clip = vec4<f32>(out.position, 1.0) * frame.clip_from_world;
    out.normal = facing * vec3<f32>(
        dot(yz, normal), dot(cross(z, x), normal), dot(cross(x, y), normal));
    out.tangent = vec3<f32>(dot(x, tangent), dot(y, tangent), dot(z, tangent));
    out.row = row;
#if POINTS
    let corner = vec2<f32>(f32(in.vertex & 1u), f32((in.vertex >> 1u) & 1u)) * 2.0 - 1.0;
    out.clip += vec4<f32>(corner * 2.0 / frame.viewport * out.clip.w, 0.0, 0.0);
#endif
    return out;
}
