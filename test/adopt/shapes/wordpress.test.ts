/** A database as WordPress makes it over SQLite: types of MySQL beside tables, dates of nothing. */
import { expect, test } from 'bun:test'
import { adoptSql } from '../adopted-app.ts'

const WORDPRESS = `
CREATE TABLE "_mysql_data_types_cache" ("table" TEXT NOT NULL, "column_or_index" TEXT NOT NULL,
  "mysql_type" TEXT NOT NULL, PRIMARY KEY("table", "column_or_index"));
CREATE TABLE "wp_users" ("ID" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  "user_login" text NOT NULL DEFAULT '' COLLATE NOCASE, "user_pass" text NOT NULL DEFAULT '' COLLATE NOCASE,
  "user_nicename" text NOT NULL DEFAULT '' COLLATE NOCASE, "user_email" text NOT NULL DEFAULT '' COLLATE NOCASE,
  "user_url" text NOT NULL DEFAULT '' COLLATE NOCASE,
  "user_registered" text NOT NULL DEFAULT '0000-00-00 00:00:00' COLLATE NOCASE,
  "user_activation_key" text NOT NULL DEFAULT '' COLLATE NOCASE, "user_status" integer NOT NULL DEFAULT '0',
  "display_name" text NOT NULL DEFAULT '' COLLATE NOCASE);
CREATE INDEX "wp_users__user_login_key" ON "wp_users" ("user_login");
CREATE TABLE "wp_usermeta" ("umeta_id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  "user_id" integer NOT NULL DEFAULT '0', "meta_key" text DEFAULT NULL COLLATE NOCASE,
  "meta_value" text COLLATE NOCASE);
CREATE TABLE "wp_posts" ("ID" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "post_author" integer NOT NULL DEFAULT '0',
  "post_date" text NOT NULL DEFAULT '0000-00-00 00:00:00' COLLATE NOCASE,
  "post_date_gmt" text NOT NULL DEFAULT '0000-00-00 00:00:00' COLLATE NOCASE,
  "post_content" text NOT NULL COLLATE NOCASE, "post_title" text NOT NULL COLLATE NOCASE,
  "post_status" text NOT NULL DEFAULT 'publish' COLLATE NOCASE, "post_parent" integer NOT NULL DEFAULT '0',
  "menu_order" integer NOT NULL DEFAULT '0', "comment_count" integer NOT NULL DEFAULT '0');
CREATE TABLE "wp_options" ("option_id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  "option_name" text NOT NULL DEFAULT '' COLLATE NOCASE, "option_value" text NOT NULL COLLATE NOCASE,
  "autoload" text NOT NULL DEFAULT 'yes' COLLATE NOCASE);
CREATE UNIQUE INDEX "wp_options__option_name" ON "wp_options" ("option_name");
CREATE TABLE "wp_term_relationships" ("object_id" integer NOT NULL DEFAULT '0',
  "term_taxonomy_id" integer NOT NULL DEFAULT '0', "term_order" integer NOT NULL DEFAULT '0',
  PRIMARY KEY ("object_id", "term_taxonomy_id"));
INSERT INTO _mysql_data_types_cache VALUES ('wp_users', 'ID', 'bigint(20) unsigned');
INSERT INTO wp_users VALUES (1, 'admin', '$P$B', 'admin', 'a@example.org', '', '2024-05-06 07:08:09', '', 0, 'Admin'),
  (2, 'eva', '$P$C', 'eva', '', 'https://example.org', '0000-00-00 00:00:00', '', 0, 'Eva');
INSERT INTO wp_usermeta VALUES (1, 1, 'wp_capabilities', 'a:1:{s:13:"administrator";b:1;}'), (2, 1, 'nickname', '');
INSERT INTO wp_posts VALUES (1, 1, '2024-05-06 07:08:09', '0000-00-00 00:00:00', '<!-- wp:paragraph -->', 'Hello ',
  'publish', 0, 0, 1), (2, 1, '2024-05-07 07:08:09', '2024-05-07 05:08:09', '', '', 'draft', 1, 0, 0);
INSERT INTO wp_options VALUES (1, 'siteurl', 'http://localhost', 'yes'), (2, 'Blogname', ' Mine ', 'yes');
INSERT INTO wp_term_relationships VALUES (1, 1, 0);
`

test('a database of WordPress comes whole, dates of nothing too', async () => {
  await using app = await adoptSql('wordpress', WORDPRESS)
  const visited = await app.visit()
  expect(visited.size).toBe(6)
  expect(visited.get('WpUsers')).toMatchObject({ ID: 1, user_login: 'admin', user_status: 0 })
  const rows = await app.stored('SELECT ID, user_registered AS at FROM wp_users ORDER BY ID')
  expect(rows[1]).toEqual({ ID: 2, at: '0000-00-00 00:00:00' })
  expect(app.told('left')).toContainEqual(
    'wp_options: the index wp_options__option_name: it compares without case; here it is unique as written',
  )
})
