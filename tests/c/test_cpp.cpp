/*
 * The header in C++17: a round with handles that free themselves.
 */
#include <mcp_elicit.h>

#include <cstdio>
#include <memory>
#include <string>

template <auto Free> struct Freed {
    template <class T> void operator()(T *handle) const { Free(handle); }
};
template <class T, auto Free> using Handle = std::unique_ptr<T, Freed<Free>>;
using Config = Handle<mcp_elicit_engine_config, mcp_elicit_engine_config_free>;
using Engine = Handle<mcp_elicit_engine, mcp_elicit_engine_free>;
using Caller = Handle<mcp_elicit_caller, mcp_elicit_caller_free>;
using Call = Handle<mcp_elicit_call, mcp_elicit_call_free>;
using Reply = Handle<mcp_elicit_reply, mcp_elicit_reply_free>;

int main()
{
    const std::string request =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deploy","_meta":{)"
        R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}})";
    const std::string schema =
        R"({"type":"object","properties":{"sure":{"type":"boolean","title":"Sure?"}}})";
    Config config(mcp_elicit_engine_config_new());
    mcp_elicit_engine *engine = nullptr;
    mcp_elicit_call *call = nullptr;
    mcp_elicit_reply *reply = nullptr;
    const mcp_elicit_outcome *sure = nullptr;
    mcp_elicit_action action = MCP_ELICIT_ACTION_ACCEPT;

    if (mcp_elicit_engine_config_set_ephemeral(config.get(), nullptr) ||
        mcp_elicit_engine_config_set_audience(config.get(), "cpp", MCP_ELICIT_NUL, nullptr) ||
        mcp_elicit_engine_new(config.get(), &engine, nullptr))
        return 1;
    Engine own_engine(engine);
    Caller caller(mcp_elicit_caller_new_single_user());
    if (mcp_elicit_engine_open(engine, request.data(), request.size(), caller.get(), &call, nullptr))
        return 2;
    Call own_call(call);
    if (mcp_elicit_call_elicit_form(call, "sure", MCP_ELICIT_NUL, "Sure?", MCP_ELICIT_NUL,
                                    schema.data(), schema.size(), nullptr, &sure, nullptr))
        return 3;
    const mcp_elicit_status pending = mcp_elicit_outcome_action(sure, &action, nullptr);
    if (pending != MCP_ELICIT_PENDING || action != MCP_ELICIT_ACTION_NONE)
        return 4;
    if (mcp_elicit_call_suspend(call, &reply, nullptr))
        return 5;
    Reply own_reply(reply);
    if (mcp_elicit_reply_kind(reply) != MCP_ELICIT_REPLY_INPUT_REQUIRED)
        return 6;
    std::puts("cpp: a round of handles that free themselves");
    return 0;
}
