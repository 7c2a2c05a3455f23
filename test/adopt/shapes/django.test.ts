/** A database as Django makes it: users, groups, permissions, sessions, and an app of its own. */
import { expect, test } from 'bun:test'
import { adoptSql } from '../adopted-app.ts'

const DJANGO = `
CREATE TABLE "django_migrations" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app" varchar(255) NOT NULL,
  "name" varchar(255) NOT NULL, "applied" datetime NOT NULL);
CREATE TABLE "django_content_type" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  "app_label" varchar(100) NOT NULL, "model" varchar(100) NOT NULL);
CREATE UNIQUE INDEX "django_content_type_app_label_model_76bd3d3b_uniq"
  ON "django_content_type" ("app_label", "model");
CREATE TABLE "auth_group" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(150) NOT NULL UNIQUE);
CREATE TABLE "auth_permission" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "content_type_id" integer NOT NULL
  REFERENCES "django_content_type" ("id") DEFERRABLE INITIALLY DEFERRED, "codename" varchar(100) NOT NULL,
  "name" varchar(255) NOT NULL);
CREATE UNIQUE INDEX "auth_permission_uniq" ON "auth_permission" ("content_type_id", "codename");
CREATE TABLE "auth_user" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "password" varchar(128) NOT NULL,
  "last_login" datetime NULL, "is_superuser" bool NOT NULL, "username" varchar(150) NOT NULL UNIQUE,
  "last_name" varchar(150) NOT NULL, "email" varchar(254) NOT NULL, "is_staff" bool NOT NULL,
  "is_active" bool NOT NULL, "date_joined" datetime NOT NULL, "first_name" varchar(150) NOT NULL);
CREATE TABLE "auth_user_groups" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED,
  "group_id" integer NOT NULL REFERENCES "auth_group" ("id") DEFERRABLE INITIALLY DEFERRED);
CREATE UNIQUE INDEX "auth_user_groups_user_id_group_id_94350c0c_uniq" ON "auth_user_groups" ("user_id", "group_id");
CREATE TABLE "django_admin_log" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "object_id" text NULL,
  "object_repr" varchar(200) NOT NULL, "action_flag" smallint unsigned NOT NULL CHECK ("action_flag" >= 0),
  "change_message" text NOT NULL, "content_type_id" integer NULL REFERENCES "django_content_type" ("id"),
  "user_id" integer NOT NULL REFERENCES "auth_user" ("id"), "action_time" datetime NOT NULL);
CREATE TABLE "django_session" ("session_key" varchar(40) NOT NULL PRIMARY KEY, "session_data" text NOT NULL,
  "expire_date" datetime NOT NULL);
CREATE INDEX "django_session_expire_date_a5c62663" ON "django_session" ("expire_date");
CREATE TABLE "polls_question" ("id" char(32) NOT NULL PRIMARY KEY, "text" varchar(200) NOT NULL,
  "price" decimal NOT NULL, "extra" text NOT NULL CHECK ((JSON_VALID("extra") OR "extra" IS NULL)),
  "took" bigint NULL, "user_id" integer NULL REFERENCES "auth_user" ("id"));
INSERT INTO django_migrations VALUES (1, 'auth', '0001_initial', '2024-05-06 07:08:09.123456');
INSERT INTO django_content_type VALUES (1, 'auth', 'user'), (2, 'polls', 'question');
INSERT INTO auth_group VALUES (1, 'Editors');
INSERT INTO auth_permission VALUES (1, 1, 'add_user', 'Can add user');
INSERT INTO auth_user VALUES (1, 'pbkdf2_sha256$1$s$h', NULL, 1, 'admin', '', 'admin@example.org', 1, 1,
  '2024-05-06 07:08:09.123456', ''), (2, '!', '2024-06-01 00:00:00', 0, 'eva', 'Stein', '', 0, 1,
  '2024-05-07 10:00:00', 'Eva');
INSERT INTO auth_user_groups VALUES (1, 2, 1);
INSERT INTO django_admin_log VALUES (1, '2', 'eva', 1, '[{"added": {}}]', 1, 1, '2024-05-07 10:00:00.5');
INSERT INTO django_session VALUES ('k0', 'e30:signed', '2024-05-20 07:08:09.123456');
INSERT INTO polls_question VALUES ('00112233445566778899aabbccddeeff', 'Which?', 12.5, '{}', 90000000, 2);
`

test('a database of Django comes whole, with its columns called user_id', async () => {
  await using app = await adoptSql('django', DJANGO)
  const visited = await app.visit()
  expect(visited.size).toBe(9)
  const { entities } = app.app.context.models.get()
  expect(entities.get('DjangoAdminLog')?.columnByName.get('user_id')).toMatchObject({
    references: 'AuthUser',
    required: true,
  })
  expect(visited.get('DjangoAdminLogs')).toMatchObject({ user_id: 1, action_flag: 1 })
  expect(app.told('changed').filter((line) => line.includes('is called user'))).toEqual([])
  expect(app.told('lost')).toContainEqual(expect.stringContaining('auth_user.date_joined: 1 value'))
})
