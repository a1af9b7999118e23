mod cfg_on_a_method;
mod concrete_impl;
mod generic_by_hand;
mod held_in_an_arc;
mod methods;
mod self_in_types;
mod tool_router_inside;
mod tool_router_outside;
