/** A database as Ghost makes it: keys of 24 letters, JSON in texts, order in columns. */
import { expect, test } from 'bun:test'
import { adoptSql } from '../adopted-app.ts'

const GHOST = `
CREATE TABLE \`users\` (\`id\` varchar(24) not null, \`name\` varchar(191) not null, \`slug\` varchar(191) not null,
  \`password\` varchar(60) not null, \`email\` varchar(191) not null, \`status\` varchar(50) not null default 'active',
  \`last_seen\` datetime null, \`created_at\` datetime not null, primary key (\`id\`));
CREATE UNIQUE INDEX \`users_slug_unique\` on \`users\` (\`slug\`);
CREATE TABLE \`posts\` (\`id\` varchar(24) not null, \`uuid\` varchar(36) not null, \`title\` varchar(2000) not null,
  \`slug\` varchar(191) not null, \`mobiledoc\` text null, \`featured\` boolean not null default '0',
  \`status\` varchar(50) not null default 'draft', \`published_at\` datetime null, \`created_at\` datetime not null,
  primary key (\`id\`));
CREATE UNIQUE INDEX \`posts_slug_type_unique\` on \`posts\` (\`slug\`, \`status\`);
CREATE TABLE \`tags\` (\`id\` varchar(24) not null, \`name\` varchar(191) not null, \`slug\` varchar(191) not null,
  \`parent_id\` varchar(255) null, primary key (\`id\`));
CREATE TABLE \`posts_tags\` (\`id\` varchar(24) not null, \`post_id\` varchar(24) not null, \`tag_id\` varchar(24) not null,
  \`sort_order\` integer not null default '0', foreign key(\`post_id\`) references \`posts\`(\`id\`),
  foreign key(\`tag_id\`) references \`tags\`(\`id\`), primary key (\`id\`));
CREATE TABLE \`roles_users\` (\`id\` varchar(24) not null, \`role_id\` varchar(24) not null,
  \`user_id\` varchar(24) not null, primary key (\`id\`));
CREATE TABLE \`sessions\` (\`id\` varchar(24) not null, \`session_id\` varchar(32) not null, \`user_id\` varchar(24) not null,
  \`session_data\` varchar(2000) not null, \`created_at\` datetime not null, primary key (\`id\`));
CREATE TABLE \`settings\` (\`id\` varchar(24) not null, \`key\` varchar(50) not null, \`value\` text null,
  \`type\` varchar(50) not null, primary key (\`id\`));
CREATE UNIQUE INDEX \`settings_key_unique\` on \`settings\` (\`key\`);
CREATE TABLE \`migrations_lock\` (\`lock_key\` varchar(191) not null, \`locked\` boolean default '0', primary key (\`lock_key\`));
INSERT INTO users VALUES ('6630a1b2c3d4e5f601234567', 'Ghost', 'ghost', '$2b$10$x', 'g@example.org', 'active', NULL,
  '2024-05-06 07:08:09');
INSERT INTO posts VALUES ('6630a1b2c3d4e5f601234568', '00112233-4455-4677-8899-aabbccddeeff', 'Coming soon', 'coming-soon',
  '{"version":"0.3.1","cards":[]}', 1, 'published', '2024-05-06 07:08:09', '2024-05-06 07:08:09');
INSERT INTO tags VALUES ('6630a1b2c3d4e5f601234569', 'News', 'news', NULL);
INSERT INTO posts_tags VALUES ('6630a1b2c3d4e5f60123456a', '6630a1b2c3d4e5f601234568', '6630a1b2c3d4e5f601234569', 0);
INSERT INTO roles_users VALUES ('6630a1b2c3d4e5f60123456b', '6630a1b2c3d4e5f60123456c', '6630a1b2c3d4e5f601234567');
INSERT INTO sessions VALUES ('6630a1b2c3d4e5f60123456d', 'abcdef', '6630a1b2c3d4e5f601234567', '{"cookie":{}}',
  '2024-05-06 07:08:09');
INSERT INTO settings VALUES ('6630a1b2c3d4e5f60123456e', 'title', 'Blog', 'blog'), ('6630a1b2c3d4e5f60123456f', 'accent', NULL, 'blog');
INSERT INTO migrations_lock VALUES ('km01', 0);
`

test('a database of Ghost comes whole, with its columns called user_id', async () => {
  await using app = await adoptSql('ghost', GHOST)
  const visited = await app.visit()
  expect(visited.size).toBe(8)
  expect(visited.get('RolesUsers')).toMatchObject({ user_id: '6630a1b2c3d4e5f601234567' })
  const { entities } = app.app.context.models.get()
  expect(entities.get('Post')?.columnByName.get('uuid')?.type).toBe('Guid')
  expect(entities.get('PostsTag')?.columnByName.get('tag_id')?.references).toBe('Tag')
})
