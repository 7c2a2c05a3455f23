/** A database of Grafana: a table called user, columns called user_id, instants in many ways. */
import { expect, test } from 'bun:test'
import { adoptSql } from '../adopted-app.ts'

const GRAFANA = `
CREATE TABLE \`migration_log\` (\`id\` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, \`migration_id\` TEXT NOT NULL,
  \`sql\` TEXT NOT NULL, \`success\` INTEGER NOT NULL, \`error\` TEXT NOT NULL, \`timestamp\` DATETIME NOT NULL);
CREATE TABLE \`user\` (\`id\` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, \`version\` INTEGER NOT NULL, \`login\` TEXT NOT NULL,
  \`email\` TEXT NOT NULL, \`name\` TEXT NULL, \`password\` TEXT NULL, \`salt\` TEXT NULL, \`org_id\` INTEGER NOT NULL,
  \`is_admin\` INTEGER NOT NULL, \`created\` DATETIME NOT NULL, \`last_seen_at\` DATETIME NULL, \`is_disabled\` INTEGER DEFAULT 0 NOT NULL);
CREATE UNIQUE INDEX \`UQE_user_login\` ON \`user\` (\`login\`);
CREATE INDEX \`IDX_user_login_email\` ON \`user\` (\`login\`, \`email\`);
CREATE TABLE \`org_user\` (\`id\` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, \`org_id\` INTEGER NOT NULL,
  \`user_id\` INTEGER NOT NULL, \`role\` TEXT NOT NULL, \`created\` DATETIME NOT NULL);
CREATE UNIQUE INDEX \`UQE_org_user_org_id_user_id\` ON \`org_user\` (\`org_id\`, \`user_id\`);
CREATE TABLE \`user_auth_token\` (\`id\` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, \`user_id\` INTEGER NOT NULL,
  \`auth_token\` TEXT NOT NULL, \`user_agent\` TEXT NOT NULL, \`client_ip\` TEXT NOT NULL, \`auth_token_seen\` INTEGER NOT NULL,
  \`seen_at\` INTEGER NULL, \`rotated_at\` INTEGER NOT NULL, \`created_at\` INTEGER NOT NULL);
CREATE TABLE \`dashboard\` (\`id\` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, \`version\` INTEGER NOT NULL, \`slug\` TEXT NOT NULL,
  \`title\` TEXT NOT NULL, \`data\` TEXT NOT NULL, \`org_id\` INTEGER NOT NULL, \`created\` DATETIME NOT NULL,
  \`uid\` TEXT NULL, \`is_folder\` INTEGER NOT NULL DEFAULT 0, \`folder_id\` INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX \`UQE_dashboard_org_id_uid\` ON \`dashboard\` (\`org_id\`, \`uid\`);
CREATE TABLE \`alert_instance\` (\`rule_org_id\` INTEGER NOT NULL, \`rule_uid\` TEXT NOT NULL DEFAULT 0, \`labels\` TEXT NOT NULL,
  \`labels_hash\` TEXT NOT NULL, \`current_state\` TEXT NOT NULL, \`current_state_since\` INTEGER NOT NULL,
  PRIMARY KEY (\`rule_org_id\`, \`rule_uid\`, \`labels_hash\`));
CREATE TABLE \`data_keys\` (\`name\` TEXT PRIMARY KEY NOT NULL, \`active\` INTEGER NOT NULL, \`encrypted_data\` BLOB NOT NULL);
INSERT INTO migration_log VALUES (1, 'create migration_log table', 'CREATE TABLE x', 1, '', '2024-05-06 07:08:09');
INSERT INTO user VALUES (1, 0, 'admin', 'admin@localhost', '', 'h', 's', 1, 1, '2024-05-06 07:08:09', '2014-05-06 07:08:09', 0);
INSERT INTO org_user VALUES (1, 1, 1, 'Admin', '2024-05-06 07:08:09');
INSERT INTO user_auth_token VALUES (1, 1, 'tok', 'Agent', '127.0.0.1', 1, 1715000000, 1715000000, 1715000000);
INSERT INTO dashboard VALUES (1, 3, 'home', 'Home', '{"panels": []}', 1, '2024-05-06 07:08:09', 'abc', 0, 0);
INSERT INTO alert_instance VALUES (1, 'r1', '[["a","b"]]', 'deadbeef', 'Normal', 1715000000);
INSERT INTO data_keys VALUES ('2024-05-06/root', 1, x'2a5933317574');
`

test('a database of Grafana comes whole, with its table user', async () => {
  await using app = await adoptSql('grafana', GRAFANA)
  const visited = await app.visit()
  expect(visited.size).toBe(7)
  expect(visited.get('UserAuthTokens')).toMatchObject({ user_id: 1, user_agent: 'Agent' })
  const { entities } = app.app.context.models.get()
  expect(entities.get('AlertInstance')?.keys).toHaveLength(3)
  expect(entities.get('UserRecord')?.table).toBe('user')
})
