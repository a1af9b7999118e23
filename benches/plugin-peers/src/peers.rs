//! The chains of `cpex-core` and `praxis-policy-core`, which offer the same interface under two names.

use std::sync::Arc;

use criterion::{BenchmarkId, Criterion};
use serde_json::{Map, Value, json};

/// A module `$module` whose `hooks` runs the chain of the crate `$peer`.
macro_rules! peer {
    ($module:ident, $peer:ident::$engine:ident::$chain:ident, $point:literal) => {
        pub mod $module {
            use $peer::{
                context::PluginContext,
                $engine::$chain,
                hooks::{
                    payload::Extensions,
                    trait_def::{HookHandler, HookTypeDef, PluginResult},
                },
                plugin::{Plugin, PluginConfig},
            };

            use super::*;

            #[derive(Clone, Debug)]
            struct Call {
                #[expect(dead_code, reason = "no hook reads it")]
                name: String,
                #[expect(dead_code, reason = "no hook reads it")]
                args: Map<String, Value>,
            }

            $peer::impl_plugin_payload!(Call);

            struct ToolPreInvoke;

            impl HookTypeDef for ToolPreInvoke {
                type Payload = Call;
                type Result = PluginResult<Call>;
                const NAME: &'static str = $point;
            }

            struct Nothing(PluginConfig);

            impl Plugin for Nothing {
                fn config(&self) -> &PluginConfig {
                    &self.0
                }
            }

            impl HookHandler<ToolPreInvoke> for Nothing {
                async fn handle(
                    &self,
                    _: &Call,
                    _: &Extensions,
                    _: &mut PluginContext,
                ) -> PluginResult<Call> {
                    PluginResult::allow()
                }
            }

            /// Hooks that do nothing, in the mode that may deny and modify.
            pub fn hooks(criterion: &mut Criterion) {
                let runtime = crate::runtime();
                let mut group = criterion.benchmark_group(stringify!($peer));
                for hooks in crate::HOOKS {
                    let chain = $chain::default();
                    for at in 0..hooks {
                        let config: PluginConfig = serde_json::from_value(json!({
                            "name": format!("hook_{at}"),
                            "kind": "nothing",
                            "hooks": [$point],
                            "mode": "sequential",
                        }))
                        .expect("a configuration");
                        let plugin = Arc::new(Nothing(config.clone()));
                        chain
                            .register_handler::<ToolPreInvoke, _>(plugin, config)
                            .expect("a new name");
                    }
                    runtime.block_on(chain.initialize()).expect("a start");
                    group.bench_function(BenchmarkId::from_parameter(hooks), |bench| {
                        let call = || Call {
                            name: "read_file".to_owned(),
                            args: crate::args(),
                        };
                        bench.iter_custom(|rounds| {
                            crate::timed(rounds, call, async |call| {
                                let extensions = Extensions::default();
                                let (result, _) = chain
                                    .invoke::<ToolPreInvoke>(call, extensions, None)
                                    .await;
                                assert!(result.continue_processing);
                            })
                        });
                    });
                }
            }
        }
    };
}

peer!(cpex, cpex_core::manager::PluginManager, "tool_pre_invoke");
peer!(
    praxis,
    praxis_policy_core::engine::PolicyEngine,
    "bench.tool_pre_invoke"
);
