//! The server that rmcp calls: one value for each legacy session and for each modern request.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult, CompletionInfo,
    DiscoverResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult, GetTaskParams, GetTaskResult, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel, PaginatedRequestParams,
    PromptMessage, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference, Role,
    ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;

use crate::era::Era;
use crate::fixtures::{self, FIXTURES};
use crate::inquiry::{Inquiry, Stop};
use crate::shared::{Session, Shared};
use crate::tools;

/// How long lists and resources may be cached; they are equal for all clients.
const TTL_MS: u64 = 60_000;

pub struct Upstream {
    pub shared: Arc<Shared>,
    level: Mutex<LoggingLevel>,
    subscribed: Arc<Mutex<HashSet<String>>>,
}

type Context = RequestContext<RoleServer>;
type Page = Option<PaginatedRequestParams>;

impl Upstream {
    pub fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            level: Mutex::new(LoggingLevel::Debug),
            subscribed: Arc::default(),
        }
    }

    pub fn log_level(&self) -> LoggingLevel {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn require_tasks(context: &Context) -> Result<(), ErrorData> {
        if context.client_capabilities().is_some_and(|known| known.supports_tasks()) {
            return Ok(());
        }
        let required = rmcp::model::ClientCapabilities::builder().enable_tasks().build();
        Err(ErrorData::missing_required_client_capability(required))
    }

    async fn elicited_prompt(&self, request: GetPromptRequestParams, context: &Context) -> Result<GetPromptResponse, Stop> {
        let mut inquiry = Inquiry::new(&self.shared, context, &request.name, false);
        inquiry.resume(request.input_responses, request.request_state.as_deref())?;
        let question = tools::form("What context should the prompt use?", json!({ "context": { "type": "string" } }));
        let answers = inquiry.ask(tools::one("user_context", question)).await?;
        let wanted = answers["user_context"]["content"]["context"].as_str().unwrap_or("nothing");
        let message = PromptMessage::new_text(Role::User, format!("Prompt with context: {wanted}"));
        Ok(GetPromptResult::new(vec![message]).into())
    }
}

impl ServerHandler for Upstream {
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(self.shared.era.versions())
    }

    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed();
        let capabilities = if self.shared.era == Era::Legacy {
            capabilities.build()
        } else {
            capabilities.enable_tasks().build()
        };
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("conformance-upstream", env!("CARGO_PKG_VERSION"));
        info.instructions = Some("A peer for tests: every feature once".to_owned());
        info
    }

    async fn discover(&self, _: Context) -> Result<DiscoverResult, ErrorData> {
        if self.shared.era == Era::Legacy {
            return Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, "server/discover", None));
        }
        Ok(DiscoverResult::from_server_info(
            self.shared.era.versions().to_vec(),
            self.get_info(),
        ))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.shared.add_session(Session {
            peer: context.peer,
            subscribed: Arc::clone(&self.subscribed),
        });
    }

    async fn list_tools(&self, _: Page, _: Context) -> Result<ListToolsResult, ErrorData> {
        let mut tools = FIXTURES.tools.clone();
        if self.shared.has_extra_tool() {
            tools.push(fixtures::extra_tool());
        }
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        FIXTURES.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        tools::call(self, request, &context).await
    }

    async fn list_resources(&self, _: Page, _: Context) -> Result<ListResourcesResult, ErrorData> {
        let page = ListResourcesResult::with_all_items(FIXTURES.resources.clone());
        Ok(page.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn list_resource_templates(&self, _: Page, _: Context) -> Result<ListResourceTemplatesResult, ErrorData> {
        let page = ListResourceTemplatesResult::with_all_items(FIXTURES.templates.clone());
        Ok(page.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(&self, request: ReadResourceRequestParams, _: Context) -> Result<ReadResourceResponse, ErrorData> {
        let Some(contents) = FIXTURES.contents(&request.uri) else {
            let data = json!({ "uri": request.uri });
            return Err(ErrorData::resource_not_found("Resource not found", Some(data)));
        };
        let result = ReadResourceResult::new(vec![contents]);
        Ok(result.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public).into())
    }

    async fn list_prompts(&self, _: Page, _: Context) -> Result<ListPromptsResult, ErrorData> {
        let mut prompts = FIXTURES.prompts.clone();
        if self.shared.has_extra_prompt() {
            prompts.push(fixtures::extra_prompt());
        }
        Ok(ListPromptsResult::with_all_items(prompts)
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, context: Context) -> Result<GetPromptResponse, ErrorData> {
        if request.name == "test_input_required_result_prompt" {
            return self.elicited_prompt(request, &context).await.or_else(Result::from);
        }
        let arguments = request.arguments.unwrap_or_default();
        match FIXTURES.messages(&request.name, &arguments) {
            Some(messages) => Ok(GetPromptResult::new(messages).into()),
            None => Err(ErrorData::invalid_params(format!("unknown prompt `{}`", request.name), None)),
        }
    }

    async fn complete(&self, request: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        let known: &[&str] = match &request.r#ref {
            Reference::Prompt(_) => &["paris", "park", "party", "rome"],
            _ => &["1", "2", "3"],
        };
        let values = known.iter().filter(|value| value.starts_with(&request.argument.value));
        let values = CompletionInfo::new(values.map(ToString::to_string).collect());
        Ok(CompleteResult::new(values.map_err(|error| ErrorData::internal_error(error, None))?))
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = request.level;
        Ok(())
    }

    async fn subscribe(&self, request: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        self.subscribed.lock().unwrap_or_else(PoisonError::into_inner).insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        self.subscribed.lock().unwrap_or_else(PoisonError::into_inner).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        accepted.resources_list_changed = None;
        self.shared.opening_listener();
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let _guard = self.shared.add_listener(context.sink().clone());
        context.cancelled().await;
        Ok(())
    }

    async fn get_task(&self, request: GetTaskParams, context: Context) -> Result<GetTaskResult, ErrorData> {
        Self::require_tasks(&context)?;
        self.shared.tasks.get_task(&request.task_id).map(GetTaskResult::new)
    }

    async fn update_task(&self, request: UpdateTaskParams, context: Context) -> Result<(), ErrorData> {
        Self::require_tasks(&context)?;
        self.shared.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Context) -> Result<(), ErrorData> {
        Self::require_tasks(&context)?;
        self.shared.tasks.cancel_task(&request.task_id)
    }
}
