/** A database as Laravel makes it: users, tokens, jobs, sessions, and morphs. */
import { expect, test } from 'bun:test'
import { adoptSql } from '../adopted-app.ts'

const LARAVEL = `
CREATE TABLE "migrations" ("id" integer primary key autoincrement not null, "migration" varchar not null,
  "batch" integer not null);
CREATE TABLE "users" ("id" integer primary key autoincrement not null, "name" varchar not null,
  "email" varchar not null, "email_verified_at" datetime, "password" varchar not null, "remember_token" varchar,
  "created_at" datetime, "updated_at" datetime);
CREATE UNIQUE INDEX "users_email_unique" on "users" ("email");
CREATE TABLE "password_reset_tokens" ("email" varchar not null, "token" varchar not null, "created_at" datetime,
  primary key ("email"));
CREATE TABLE "sessions" ("id" varchar not null, "user_id" integer, "ip_address" varchar, "user_agent" text,
  "payload" text not null, "last_activity" integer not null, primary key ("id"));
CREATE INDEX "sessions_user_id_index" on "sessions" ("user_id");
CREATE INDEX "sessions_last_activity_index" on "sessions" ("last_activity");
CREATE TABLE "cache" ("key" varchar not null, "value" text not null, "expiration" integer not null, primary key ("key"));
CREATE TABLE "jobs" ("id" integer primary key autoincrement not null, "queue" varchar not null, "payload" text not null,
  "attempts" integer not null, "reserved_at" integer, "available_at" integer not null, "created_at" integer not null);
CREATE TABLE "job_batches" ("id" varchar not null, "name" varchar not null, "options" text, "cancelled_at" integer,
  "created_at" integer not null, primary key ("id"));
CREATE TABLE "personal_access_tokens" ("id" integer primary key autoincrement not null,
  "tokenable_type" varchar not null, "tokenable_id" integer not null, "name" varchar not null,
  "token" varchar not null, "abilities" text, "last_used_at" datetime);
CREATE UNIQUE INDEX "personal_access_tokens_token_unique" on "personal_access_tokens" ("token");
CREATE TABLE "posts" ("id" integer primary key autoincrement not null, "user_id" integer not null,
  "title" varchar not null, "status" varchar check ("status" in ('draft', 'live')) not null default 'draft',
  "is_pinned" tinyint(1) not null default '0', "price" numeric not null default '0', "meta" text,
  "deleted_at" datetime, foreign key("user_id") references "users"("id") on delete cascade);
CREATE TABLE "role_user" ("user_id" integer not null, "role_id" integer not null,
  foreign key("user_id") references "users"("id") on delete cascade, primary key ("user_id", "role_id"));
INSERT INTO migrations VALUES (1, '0001_01_01_000000_create_users_table', 1);
INSERT INTO users VALUES (1, 'Ana', 'ana@example.org', NULL, '$2y$12$x', NULL, '2024-05-06 07:08:09', NULL);
INSERT INTO password_reset_tokens VALUES ('ana@example.org', 'h', '2024-05-06 07:08:09');
INSERT INTO sessions VALUES ('abc', 1, '127.0.0.1', 'Agent', 'e30=', 1715000000), ('def', NULL, NULL, NULL, '', 1715000060);
INSERT INTO cache VALUES ('laravel_cache_x', 's:1:"a";', 1715000000);
INSERT INTO jobs VALUES (1, 'default', '{"uuid":"u"}', 0, NULL, 1715000000, 1715000000);
INSERT INTO job_batches VALUES ('b1', 'Import', NULL, NULL, 1715000000);
INSERT INTO personal_access_tokens VALUES (1, 'App\\Models\\User', 1, 'cli', 'd34db33f', '["*"]', NULL);
INSERT INTO posts VALUES (1, 1, 'Hello', 'draft', 0, 9.5, NULL, NULL);
INSERT INTO role_user VALUES (1, 3);
`

test('a database of Laravel comes whole, with its columns called user_…', async () => {
  await using app = await adoptSql('laravel', LARAVEL)
  const visited = await app.visit()
  expect(visited.size).toBe(10)
  expect(visited.get('Sessions')).toMatchObject({ id: 'abc', user_id: 1, user_agent: 'Agent' })
  const { entities } = app.app.context.models.get()
  const post = entities.get('Post')
  expect(post?.columnByName.get('user_id')).toMatchObject({ onDelete: 'Cascade', required: true })
  expect(post?.columnByName.get('status')?.options.map(({ value }) => value)).toEqual([
    'draft',
    'live',
  ])
  expect(entities.get('RoleUser')?.keys.map(({ name }) => name)).toEqual(['user_id', 'role_id'])
})
