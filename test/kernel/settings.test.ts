import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Settings, SettingsOrigin } from '../../src/kernel/settings.ts'
import { SQL } from '../../src/store/floor.ts'
import { TOKENS } from '../../src/access/floor.ts'
import { EXPOSE_ERRORS, HTTP } from '../../src/server/floor.ts'
import { SWAGGER_ENABLED } from '../../src/features/swagger/routes.ts'
import { configure } from '../../src/app.ts'
import { sources } from '../style/source.ts'
import { temporaryFolder } from '../support/executable.ts'

/** Settings of a data folder with this `appsettings.json`, and with nothing from this machine. */
function load(file: string | undefined, origin: Partial<SettingsOrigin> = {}): Settings {
  const dataFolder = mkdtempSync(join(tmpdir(), 'settings-test-'))
  try {
    if (file !== undefined) writeFileSync(join(dataFolder, 'appsettings.json'), file)
    return configure({ env: {}, ...origin, dataFolder })
  } finally {
    rmSync(dataFolder, { recursive: true })
  }
}

describe('where a value comes from', () => {
  test('the default, when nobody says anything', () => {
    expect(load(undefined).get(SQL.timeout)).toBe(30_000)
  })

  test.each([
    ['nested', '{"Svc": {"Sql": {"Timeout": "5s"}}}'],
    ['flat', '{"Svc:Sql:Timeout": "5s"}'],
    ['in another case', '{"svc": {"SQL:timeout": "00:00:05"}}'],
    ['after a byte order mark', '\uFEFF{"Svc:Sql:Timeout": "5s"}'],
  ])('the file, %s', (_, file) => {
    expect(load(file).get(SQL.timeout)).toBe(5000)
  })

  test('a secret lies in a file of the environment or of systemd, its line without its end', () => {
    using home = temporaryFolder()
    writeFileSync(join(home.path, 'secret'), 'from-a-file\n')
    writeFileSync(join(home.path, 'Svc__Tokens__Audience'), 'from-a-credential\r\n')
    writeFileSync(join(home.path, 'tls.key'), 'no setting')
    const env = {
      Svc__Tokens__Issuer_File: join(home.path, 'secret'),
      CREDENTIALS_DIRECTORY: home.path,
    }
    const settings = load('{"Svc:Tokens:Audience": "file"}', { env })
    expect(settings.get(TOKENS.issuer)).toBe('from-a-file')
    expect(settings.get(TOKENS.audience)).toBe('from-a-credential')
    const both = { ...env, SVC__TOKENS__ISSUER: 'x' }
    expect(() => load(undefined, { env: both })).toThrow('are both set')
    const gone = { Svc__Tokens__Issuer_File: join(home.path, 'gone') }
    expect(() => load(undefined, { env: gone })).toThrow('Svc__Tokens__Issuer_File: the file')
    const folder = { CREDENTIALS_DIRECTORY: join(home.path, 'gone') }
    expect(() => load(undefined, { env: folder })).toThrow('CREDENTIALS_DIRECTORY')
    // A setting whose own name ends so is not one.
    expect(() => load(undefined, { env: { Svc__Nothing__File: 'x' } })).toThrow('Nothing:File')
  })

  test('the environment goes before the file, a flag before both', () => {
    const file = '{"Svc:Sql:Timeout": "5s", "Svc:Sql:Lanes": 5, "Svc:Errors": true}'
    const env = { Svc__Sql__Timeout: '6s', Svc__Sql__Lanes: '6', PATH: '/bin' }
    const settings = load(file, { env, flags: { 'Svc:Sql:Timeout': '7s' } })
    expect(settings.get(SQL.timeout)).toBe(7000)
    expect(settings.get(SQL.lanes)).toBe(6)
    expect(settings.get(EXPOSE_ERRORS)).toBe(true)
    const sources = settings.describe().filter(({ source }) => source !== 'default')
    expect(sources.map(({ name, source }) => [name, source])).toEqual([
      ['Svc:Sql:Timeout', 'flag'],
      ['Svc:Sql:Lanes', 'environment'],
      ['Svc:Errors', 'appsettings.json'],
    ])
  })

  test('lists come as JSON lists or with commas', () => {
    const origins = ['https://a.example', 'http://b.example:8080']
    expect(load(JSON.stringify({ 'Svc:Cors:Origins': origins })).get(HTTP.origins)).toEqual(origins)
    const env = { Svc__Cors__Origins: 'https://a.example, http://b.example:8080' }
    expect(load(undefined, { env }).get(HTTP.origins)).toEqual(origins)
  })

  test('keys of the application are its own', () => {
    const settings = load('{"App": {"Mail": {"From": "office@example.com"}}}')
    expect([...settings.listApp()]).toEqual([['app:mail:from', 'office@example.com']])
    expect(settings.describe().at(-1)).toMatchObject({ name: 'App:Mail:From' })
    const env = { APP__MAIL__FROM: 'other@example.com' }
    const both = load('{"App": {"Mail": {"From": "office@example.com"}}}', { env })
    expect([...both.listApp()]).toEqual([['app:mail:from', 'other@example.com']])
  })
})

describe('the environment gives defaults', () => {
  test.each([
    [undefined, undefined, false],
    ['Development', undefined, true],
    ['Development', '{"Svc:Environment": "production"}', false],
    ['Production', '{"Svc:Environment": "Development"}', true],
  ] as const)('%s with %s', (environment, file, isOpen) => {
    const settings = load(file, { environment })
    expect(settings.get(EXPOSE_ERRORS)).toBe(isOpen)
    expect(settings.get(SWAGGER_ENABLED)).toBe(isOpen)
    expect(settings.get(HTTP.serverTiming)).toBe(isOpen)
  })

  test('a stated value goes before them', () => {
    const flags = { 'Svc:Swagger:Enabled': 'on' }
    expect(load(undefined, { flags }).get(SWAGGER_ENABLED)).toBe(true)
  })
})

describe('a fault stops the start and is named', () => {
  test.each([
    ['{"Svc:Sql:Tmeout": "5s"}', 'Unknown setting Svc:Sql:Tmeout'],
    ['{"Other": {"Key": 1}}', 'Unknown setting Other:Key'],
    [
      '{"Svc:Sql:Timeout": "soon"}',
      'Setting Svc:Sql:Timeout (from appsettings.json): must be a dur',
    ],
    ['{"Svc:Sql:Timeout": "2h"}', 'must be from 10ms to 1h'],
    ['{"Svc:Sql:Lanes": 0}', 'Setting Svc:Sql:Lanes (from appsettings.json): must be from 1 to 64'],
    ['{"Svc:Errors": "perhaps"}', 'must be true or false'],
    ['{"Svc:Errors": null}', 'Setting Svc:Errors in'],
    ['{"Svc:Environment": "Test"}', 'must be one of Production, Development'],
    ['{"Svc:Cors:Origins": "https://a.example/path"}', 'must be origins like'],
    ['{"Svc:Http:MaxBodyBytes": "8 bytes"}', 'must be a size like 8MB'],
    ['{"Svc:Tokens:Issuer": " "}', 'must not be empty'],
    ['{"Svc:Sql', 'appsettings.json is no JSON'],
    ['[]', 'must hold a JSON object'],
  ])('%s', (file, message) => {
    expect(() => load(file)).toThrow(message)
  })

  test('from the environment', () => {
    expect(() => load(undefined, { env: { SVC__NOTHING: '1' } })).toThrow('(from environment)')
  })
})

test('every setting has a meaning, and its default is read back as it is shown', () => {
  for (const { name, default: preset, meaning } of load(undefined).describe()) {
    expect(meaning).not.toBe('')
    if (preset !== '') expect(() => load(undefined, { flags: { [name]: preset } })).not.toThrow()
  }
})

test('every setting that the source declares belongs to a part', () => {
  const declared = sources
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap(({ nodes }) => nodes)
    .filter(({ type }) => type === 'CallExpression')
    .map((node) => (node['arguments'] as { value?: unknown }[])[0]?.value)
    .filter((name) => typeof name === 'string' && /^Svc:\w+(?::\w+)*$/.test(name))
  const names = load(undefined).describe()
  expect(declared.sort()).toEqual(names.map(({ name }) => name).sort())
})
