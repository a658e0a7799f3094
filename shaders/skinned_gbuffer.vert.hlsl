// Surface of a skinned mesh: position and normal by the blended entries of cbObjMatrix.
#include "include/draw.hlsli"
#include "include/skin.hlsli"
#include "include/surface.hlsli"

Surface main(float3 position : POSITION0, float3 normal : NORMAL0, uint4 indices : BLENDINDICES0,
             float4 weights : BLENDWEIGHT0, uint vertex : SV_VertexID, uint number : SV_InstanceID)
{
    uint instance = number - draw.first_instance;
    uint4 entry = entries(indices, first_entry(instance));
    Surface s;
    s.position = clip(0, skinned_point(entry, weights, position));
    s.normal = unit(skinned_direction(entry, weights, decoded_normal(normal)));
    store_surface(vertex, instance, s);
    return s;
}
