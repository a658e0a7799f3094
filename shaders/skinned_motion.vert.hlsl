// Movement of a skinned mesh: POSITION0 skinned with cbObjMatrix x the first view-projection against POSITION1 skinned
// with cbPrevObjMatrix x the second (claim motion-program).
#include "include/draw.hlsli"
#include "include/skin.hlsli"
#include "include/previous.hlsli"
#include "include/motion.hlsli"

Motion main(float3 position : POSITION0, float3 position_before : POSITION1, uint4 indices : BLENDINDICES0,
            float4 weights : BLENDWEIGHT0, uint vertex : SV_VertexID, uint number : SV_InstanceID)
{
    uint instance = number - draw.first_instance;
    uint4 entry = entries(indices, first_entry(instance));
    Motion m;
    m.current = clip(0, skinned_point(entry, weights, position));
    m.before = clip(1, previously_skinned_point(entry, weights, position_before));
    m.position = m.current;
    store_motion(vertex, instance, m);
    return m;
}
