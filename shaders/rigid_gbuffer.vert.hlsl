// Surface of a rigid thing: position and normal by the palette's first entry.
#include "include/draw.hlsli"
#include "include/surface.hlsli"

Surface main(float3 position : POSITION0, float3 normal : NORMAL0, uint vertex : SV_VertexID,
             uint number : SV_InstanceID)
{
    uint instance = number - draw.first_instance;
    Affine m = palette_entry(first_entry(instance));
    Surface s;
    s.position = clip(0, apply(m, float4(position, 1.0)));
    s.normal = unit(turn(m, decoded_normal(normal)));
    store_surface(vertex, instance, s);
    return s;
}
