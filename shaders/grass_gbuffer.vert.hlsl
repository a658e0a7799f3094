// Surface of a grass clump: world matrix and fade of its instance record. How force words move a blade is not
// established, so no motion is invented (claim grass-motion).
#include "include/draw.hlsli"

struct Clump
{
    float4 position : SV_Position;
    float3 normal : NORMAL;
    float fade : FADE;
};

Clump main(float3 position : POSITION0, float3 normal : NORMAL0, uint vertex : SV_VertexID,
           uint number : SV_InstanceID)
{
    uint instance = number - draw.first_instance;
    uint start = record_start(instance);
    Affine world;
    world.x = words(start + draw.world_offset);
    world.y = words(start + draw.world_offset + 16);
    world.z = words(start + draw.world_offset + 32);
    Clump c;
    c.position = clip(0, apply(world, float4(position, 1.0)));
    c.normal = unit(turn(world, decoded_normal(normal)));
    c.fade = word(start + draw.fade_offset);
    uint at = output_start(vertex, instance, 8);
    store(at, c.position);
    store(at + 16, float4(c.normal, c.fade));
    return c;
}
