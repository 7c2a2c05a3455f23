/** Secrets of a source are taken over and shown to nobody; what only sounds like one is shown. */
import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { CommandHome } from './command.ts'
import { insertRows, makeSource } from './sources.ts'
import { runCommand, startExecutable } from '../support/executable.ts'

const home = new CommandHome()
afterAll(() => home[Symbol.dispose]())

const random = (at: number): string => createHash('sha256').update(String(at)).digest('hex')

const SECRETS = `
CREATE TABLE auth_user (id INTEGER PRIMARY KEY, username TEXT NOT NULL, password VARCHAR(128) NOT NULL,
  user_pass TEXT, PasswordHash TEXT, passwordSalt TEXT, remember_token TEXT, user_activation_key TEXT,
  hash TEXT, mfaSecret BLOB, recoveryCodes JSON, kennwort TEXT, whatever TEXT, password_changed_at DATETIME,
  PasswordPolicy TEXT, KeyAccount TEXT, TokenCount INTEGER, has_password BOOLEAN, secretary TEXT, passport TEXT);
${insertRows('auth_user', 6, (at) => [
  ...[
    at,
    `person${at}`,
    `pbkdf2_sha256$26000$${random(at)}`,
    'x',
    random(at),
    'ab',
    random(at),
    '',
  ],
  ...[
    random(at),
    `x'00ff0${at}'`,
    '["a81-f22b","b71-c9aa"]',
    'geheim',
    `$2b$12$${random(at).slice(0, 53)}`,
    '2021-05-06 07:08:09',
  ],
  ...['ten letters', 'Smith', at, 1, 'Ms Bird', `P${at}`],
])}
CREATE TABLE sessions (id TEXT PRIMARY KEY, user_id INTEGER, payload TEXT, agent TEXT);
${insertRows('sessions', 6, (at) => [random(at), at, `s${random(at)}`, 'Firefox'])}
CREATE TABLE api_keys (id INTEGER PRIMARY KEY, name TEXT, key TEXT, api_key TEXT);
${insertRows('api_keys', 6, (at) => [at, `Key ${at}`, random(at), random(at + 9)])}
CREATE TABLE api_tokens (token TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
${insertRows('api_tokens', 6, (at) => [random(at), `Token ${at}`])}
CREATE TABLE token_uses (id INTEGER PRIMARY KEY, token TEXT REFERENCES api_tokens (token), note TEXT);
INSERT INTO token_uses VALUES (1, '${random(1)}', 'first');
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT);
${insertRows('settings', 6, (at) => [`setting.number.${at}`, 'on'])}
CREATE TABLE file (id INTEGER PRIMARY KEY, name TEXT, hash TEXT, sort_key TEXT, checksum TEXT, public_key TEXT);
${insertRows('file', 6, (at) => [at, `f${at}.txt`, random(at), `k${at}`, random(at), random(at)])}
CREATE TABLE conference (id INTEGER PRIMARY KEY, name TEXT, session TEXT, session_title TEXT, token TEXT);
${insertRows('conference', 6, (at) => [at, `Day ${at}`, 'Opening', 'Opening', 'Hat'])}
`

test('secrets are no field of any view, and the report names them and no value', async () => {
  makeSource(home.path('secrets.db'), SECRETS)
  const adopted = await home.run('adopt', 'secrets.db', '--data', 'secrets')
  expect([adopted.exitCode, adopted.err]).toEqual([0, ''])
  const hidden = adopted.lines.flatMap((line) => /^hidden +(\S+): (.*)/.exec(line)?.slice(1) ?? [])
  const columns = hidden.filter((_, at) => at % 2 === 0).toSorted()
  expect(columns).toEqual([
    'api_keys.api_key',
    'api_keys.key',
    'api_tokens.token',
    'auth_user.PasswordHash',
    'auth_user.hash',
    'auth_user.kennwort',
    'auth_user.mfaSecret',
    'auth_user.password',
    'auth_user.passwordSalt',
    'auth_user.recoveryCodes',
    'auth_user.remember_token',
    'auth_user.user_activation_key',
    'auth_user.user_pass',
    'auth_user.whatever',
    'sessions.id',
    'sessions.payload',
  ])
  expect(adopted.out).not.toMatch(/[0-9a-f]{16}/)
  for (const name of readdirSync(home.path('secrets-model')))
    expect(readFileSync(home.path('secrets-model', name), 'utf8')).not.toMatch(/[0-9a-f]{16}/)
  for (const words of [['secrets-model'], ['--data', 'secrets']]) {
    const checked = await home.run('check', ...words)
    expect([checked.exitCode, checked.err]).toEqual([0, ''])
  }
  // They are there, for those who want to go on with them.
  const [user] = home.read('secrets', 'SELECT hash FROM auth_user WHERE id = 1')
  expect(user).toEqual({ hash: random(1) })
})

test('a System user is served none of them, and makes records without them', async () => {
  const cwd = home.path()
  const data = ['--data', 'secrets']
  await runCommand(['company', 'create', 'HOME', '--name', 'Home', ...data], { cwd })
  const roles = ['--role', 'System', '--company', 'HOME', '--password-stdin']
  const options = { cwd, stdin: 'a-good-password-of-mine' }
  await runCommand(['user', 'create', 'ada', ...roles, ...data], options)
  await using server = await startExecutable({ dataFolder: home.path('secrets'), args: [] })
  let token = ''
  const send = async (path: string, body: object): Promise<string> => {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    expect([path, answer.status]).toEqual([path, 200])
    return text
  }
  const login = { UserName: 'ada', Password: 'a-good-password-of-mine' }
  const { data: tokens } = JSON.parse(await send('/auth/login', login)) as {
    data: { AccessToken: string }
  }
  token = tokens.AccessToken
  for (const view of ['auth-users', 'sessions', 'api-keys', 'token-uses'])
    expect(await send(`/svc/object/${view}/table`, {})).not.toMatch(/[0-9a-f]{16}/)
  const values = { username: 'newcomer', PasswordPolicy: 'none' }
  const made = await send('/svc/object/submit', { FormName: 'AuthUsers', Parameters: values })
  expect(made).toContain('newcomer')
  const search = async (): Promise<string> => {
    const answer = await fetch(`${server.url}/api/v1/svc/search?q=Bird`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    return answer.text()
  }
  let found = await search()
  while (found.includes('"Rebuilding":true')) found = await search()
  expect(found).toContain('person1')
})
