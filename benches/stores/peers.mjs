// How other libraries store a conversation that grows message by message: their own stores, on the same disk and the same server, with
// the same messages. `turn` takes two messages, a user's and its answer, and resolves when they are saved.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Session } from "contextfold";
import { sqliteStore } from "contextfold/stores/sqlite";
import { postgresStore } from "contextfold/stores/postgres";
import { betterSqlite3 } from "./stores.mjs";

/** Each with the kind of database it uses; `open` returns `{ turn, end }`. `cannot` says why a peer is not measured. */
export const PEERS = [
  { name: "contextfold, SQLite", lies: "sqlite", open: (url, place) => ours(sqliteStore(betterSqlite3(join(place, "ours.db")), { fsync: true })) },
  { name: "@langchain/langgraph-checkpoint-sqlite", lies: "sqlite", open: (_, place) => langgraph(sqliteSaver(place, "each"), {}) },
  { name: "…, durability \"exit\"", lies: "sqlite", open: (_, place) => langgraph(sqliteSaver(place, "exit"), { durability: "exit" }) },
  { name: "…, MessagesDeltaValue", lies: "sqlite", open: (_, place) => langgraph(sqliteSaver(place, "delta"), {}, true) },
  { name: "@mastra/libsql", lies: "sqlite", open: (_, place) => mastra("@mastra/libsql", "LibSQLStore", { url: `file:${join(place, "mastra.db")}` }) },
  { name: "contextfold, PostgreSQL", lies: "postgres", open: oursInPostgres },
  { name: "@langchain/langgraph-checkpoint-postgres", lies: "postgres", open: (url) => langgraph(postgresSaver(url, "each"), {}) },
  { name: "…, durability \"exit\"", lies: "postgres", open: (url) => langgraph(postgresSaver(url, "leaving"), { durability: "exit" }) },
  { name: "…, MessagesDeltaValue", lies: "postgres", open: (url) => langgraph(postgresSaver(url, "delta"), {}, true) },
  { name: "@mastra/pg", lies: "postgres", open: (url) => mastra("@mastra/pg", "PostgresStore", { connectionString: url }) },
  { name: "@openai/agents-core", cannot: openaiAgents },
];

async function ours(store, end = async () => {}) {
  const session = new Session();
  return {
    async turn(messages) {
      for (const message of messages) {
        session.push(message);
        await session.save(store, "chat");
      }
    },
    end: async () => {
      session.free();
      await end();
    },
  };
}

async function oursInPostgres(url) {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on("error", () => {}); // the server may stop before the pool has ended
  return ours(postgresStore(pool), () => pool.end());
}

async function sqliteSaver(place, name) {
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const saver = SqliteSaver.fromConnString(join(place, `langgraph-${name}.db`)); // it sets WAL mode itself
  return { saver, end: async () => saver.db.close() };
}

async function postgresSaver(url, schema) {
  const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres");
  const saver = PostgresSaver.fromConnString(url, { schema });
  await saver.setup();
  saver.pool.on("error", () => {});
  return { saver, end: () => saver.end() };
}

/** A graph with one node, which answers, as in LangGraph's guide. */
async function langgraph(opening, options, isDelta = false) {
  const { saver, end } = await opening;
  const { END, MessagesAnnotation, MessagesDeltaValue, START, StateGraph, StateSchema } = await import("@langchain/langgraph");
  const { AIMessage, HumanMessage } = await import("@langchain/core/messages");
  let answer;
  const state = isDelta ? new StateSchema({ messages: MessagesDeltaValue }) : MessagesAnnotation;
  const graph = new StateGraph(state).addNode("model", () => ({ messages: [new AIMessage(answer)] })).addEdge(START, "model").addEdge("model", END).compile({ checkpointer: saver });
  return {
    async turn([asked, answered]) {
      answer = answered.content;
      await graph.invoke({ messages: [new HumanMessage(asked.content)] }, { configurable: { thread_id: "chat" }, ...options });
    },
    end,
  };
}

/** Mastra's message storage, which its `Memory` and its agents write to. */
async function mastra(name, exported, options) {
  const store = new (await import(name))[exported]({ id: "bench", ...options });
  await store.init();
  store.pool?.on("error", () => {});
  const memory = await store.getStore("memory");
  const [threadId, resourceId] = ["chat", "user"];
  await memory.saveThread({ thread: { id: threadId, resourceId, title: "", metadata: {}, createdAt: new Date(), updatedAt: new Date() } });
  return {
    async turn(messages) {
      for (const { role, content } of messages)
        await memory.saveMessages({ messages: [{ id: randomUUID(), threadId, resourceId, role, createdAt: new Date(), content: { format: 2, parts: [{ type: "text", text: content }] } }] });
    },
    end: async () => void (await store.close?.()),
  };
}

async function openaiAgents() {
  const sessions = Object.keys(await import("@openai/agents-core")).filter((name) => /^[A-Z]\w*Session$/.test(name));
  return `has ${sessions.join(", ")}, which lies in memory, and OpenAIConversationsSession, which is a service: nothing to measure on a disk`;
}
