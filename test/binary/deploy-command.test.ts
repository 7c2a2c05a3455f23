/** `appengine deploy` and `check` of model files. */
import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand, temporaryFolder } from '../support/executable.ts'

const home = temporaryFolder()
const folder = home.path
afterAll(() => home[Symbol.dispose]())

function writeModel(name: string, files: Record<string, string>): void {
  for (const [file, body] of Object.entries(files)) {
    const path = join(folder, name, file)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, body)
  }
}

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { exitCode, stdout, stderr } = await runCommand(args, { cwd: folder })
  return { code: exitCode, out: stdout, err: stderr }
}

const KIND = `<Entity Name="Kind" Table="kinds">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="Label" Type="Text"/>
</Entity>`

describe('appengine deploy', () => {
  test('plans, deploys, and has nothing to do again', async () => {
    writeModel('good', {
      'kind.xml': KIND,
      'views/kinds.xml': '<ObjectView Name="Kinds" Entity="Kind"/>',
    })
    const data = join(folder, 'data')
    const dry = await run('deploy', 'good', '--data', data, '--dry-run')
    expect([dry.code, dry.err, existsSync(data)]).toEqual([0, '', false])
    expect(dry.out).toBe(
      [
        'new      Entity Kind (kind.xml)',
        'new      ObjectView Kinds (views/kinds.xml)',
        'migrate  create table kinds',
        'migrate  create index ox1l_kinds.Code',
        'Nothing was changed. Planned: 2 new, 0 changed, 0 removed, 0 the same; 2 migration steps.\n',
      ].join('\n'),
    )
    const first = await run('deploy', 'good', '--data', data, '--json')
    expect(first.code).toBe(0)
    expect(JSON.parse(first.out)).toMatchObject({
      Deployed: true,
      New: [{ Type: 'Entity', Name: 'Kind', FileName: 'kind.xml' }, { Name: 'Kinds' }],
      Steps: ['create table kinds', 'create index ox1l_kinds.Code'],
      Faults: [],
    })
    const second = await run('deploy', 'good', '--data', data)
    expect([second.code, second.out.split('\n').slice(0, 3)]).toEqual([
      0,
      [
        'same     Entity Kind (kind.xml)',
        'same     ObjectView Kinds (views/kinds.xml)',
        'Deployed: 0 new, 0 changed, 0 removed, 2 the same; 0 migration steps.',
      ],
    ])
  })

  test('rolls the last deploy back, once, and says what goes with it', async () => {
    const data = join(folder, 'data-back')
    writeModel('back', { 'kind.xml': KIND })
    const first = await run('deploy', 'back', '--data', data)
    const early = await run('deploy', '--rollback', '--data', data)
    expect([first.code, early]).toEqual([
      0,
      {
        code: 1,
        out: '',
        err: 'The last deploy was the first one: there is no model to go back to.\n',
      },
    ])
    const size = '<Column Name="Size" Type="Integer" Default="1"/>'
    writeModel('back', { 'kind.xml': KIND.replace('</Entity>', `${size}</Entity>`) })
    expect((await run('deploy', 'back', '--data', data)).code).toBe(0)
    const database = new Database(join(data, 'engine.db'))
    database.run("INSERT INTO kinds (Code, Size) VALUES ('a', 7), ('b', 1)")
    database.close()
    const refused = await run('deploy', '--rollback', '--data', data)
    expect([refused.code, refused.err]).toEqual([
      1,
      'This would lose data. Use --allow-data-loss to allow it\n',
    ])
    expect(refused.out.split('\n').slice(1)).toEqual([
      'changed  Entity Kind (kind.xml)',
      'migrate  rebuild table kinds: without Size',
      'migrate  create index ox1l_kinds.Code again',
      'lose     Kind.Size is removed: its values in 1 row',
      'Nothing was changed. Planned: 0 new, 1 changed, 0 removed, 0 the same; 2 migration steps.',
      '',
    ])
    const done = await run('deploy', '--rollback', '--allow-data-loss', '--json', '--data', data)
    expect(JSON.parse(done.out)).toMatchObject({
      Deployed: true,
      Changed: [{ Name: 'Kind' }],
      Losses: ['Kind.Size is removed: its values in 1 row'],
      Rollback: { DeployedAt: expect.any(String), RolledBackAt: null },
    })
    const again = await run('deploy', '--rollback', '--data', data)
    expect([again.code, again.out.split('\n')[1]]).toEqual([
      0,
      expect.stringMatching(/^Nothing was changed: this deploy was rolled back already, at .+\.$/),
    ])
  })

  test('names every fault with file, line and column', async () => {
    writeModel('bad', {
      'a.xml': '<Entity Name="A">\n  <Colum Name="Id"/>\n</Entity>',
      'b.xml': '<ObjectView Name="B" Entity="A" Foo="1"/>',
    })
    const { code, err } = await run('deploy', 'bad', '--data', join(folder, 'data-bad'))
    expect(code).toBe(1)
    expect(err).toMatch(/^a\.xml:2:3: .*Colum/m)
    expect(err).toMatch(/^b\.xml:1:\d+: .*Foo/m)
  })

  const refusals: { name: string; args: string[]; code: number; err: string }[] = [
    {
      name: 'no folder',
      args: ['deploy', 'nowhere'],
      code: 1,
      err: 'There is no folder nowhere\n',
    },
    {
      name: 'an empty folder',
      args: ['check', 'empty'],
      code: 1,
      err: 'There is no .xml file in empty\n',
    },
    {
      name: 'no word',
      args: ['deploy'],
      code: 2,
      err: 'MODELDIR is missing. Usage: appengine deploy MODELDIR, or appengine deploy --rollback\n',
    },
    {
      name: 'a rollback with a folder',
      args: ['deploy', 'good', '--rollback'],
      code: 2,
      err: '--rollback rolls the last deploy back: it goes without MODELDIR and --prune\n',
    },
    {
      name: 'a file',
      args: ['check', 'good/kind.xml'],
      code: 1,
      err: 'good/kind.xml is a file, not a folder; give the folder that it is in: good\n',
    },
  ]
  for (const { name, args, code, err } of refusals)
    test(`${name}: refused`, async () => {
      mkdirSync(join(folder, 'empty'), { recursive: true })
      expect(await run(...args)).toEqual({ code, out: '', err })
    })

  test('check warns of a full scan, and prints query plans when asked', async () => {
    writeModel('scan', {
      'kind.xml': KIND,
      'kinds.xml': '<ObjectView Name="Kinds" Entity="Kind" Sort="Label"/>',
    })
    const { code, out, err } = await run('check', 'scan')
    expect([code, out]).toEqual([0, '2 files, 0 faults, 1 warning.\n'])
    expect(err).toBe(
      'warning: kinds.xml:1:1: Kinds reads all of kinds for each page: ' +
        'an Index would avoid that (SCAN kinds)\n',
    )
    const plans = await run('check', 'scan', '--plans')
    expect(plans.out).toContain('Kinds\n  SCAN kinds\n')
    expect(plans.out).toEndWith(out)
  })

  test('check counts texts that are missing in a language, and lists them when asked', async () => {
    writeModel('texts', {
      'kind.xml': KIND,
      'kinds.xml': '<ObjectView Name="Kinds" Entity="Kind"/>',
      'de.xml': '<Texts Language="de"><Text Of="Kind">Art</Text></Texts>',
    })
    const { out, err } = await run('check', 'texts')
    expect(err).toBe('warning: 3 texts are missing in de; --texts lists them\n')
    expect(out).toBe('3 files, 0 faults, 1 warning.\n')
    const listed = await run('check', 'texts', '--texts')
    expect(listed.err.trimEnd().split('\n')).toEqual([
      'warning: kind.xml:2:3: Kind.Code has no text in de',
      'warning: kind.xml:3:3: Kind.Label has no text in de',
      'warning: kinds.xml:1:1: Kinds has no text in de',
    ])
  })

  test('a folder may be written in any way; a data folder in it is none of the model', async () => {
    writeModel('ways', { 'model/kind.xml': KIND, 'node_modules/x/other.xml': '<Nothing/>' })
    const at = join(folder, 'ways')
    const runThere = async (line: string) => {
      const { exitCode, stdout, stderr } = await runCommand(line.split(' '), { cwd: at })
      return [exitCode, stdout.split('\n').at(-2) ?? '', stderr]
    }
    const deployed = 'Deployed: 1 new, 0 changed, 0 removed, 0 the same; 2 migration steps.'
    expect(await runThere('deploy .')).toEqual([0, deployed, ''])
    writeFileSync(join(at, 'data', 'local', 'export.xml'), '<Nothing/>')
    symlinkSync('ways/model', join(folder, 'link'))
    const same = 'Deployed: 0 new, 0 changed, 0 removed, 1 the same; 0 migration steps.'
    expect(await runThere('deploy ./')).toEqual([0, same, ''])
    for (const way of [
      'model',
      './model',
      'model/',
      '../ways/model/.',
      join(at, 'model'),
      '../link',
    ])
      expect(await runThere(`check ${way}`)).toEqual([0, '1 file, 0 faults, 0 warnings.', ''])
  })

  test('a resource that an extension of the data folder brings is known', async () => {
    writeModel('brought', {
      'kind.xml': KIND,
      'kinds.xml': '<ObjectView Name="Kinds" Entity="Kind"/>',
      'roles.xml':
        '<Rbac><Role Name="Clerk"><Grant Resource="Nightly" Capabilities="Execute"/>' +
        '<Grant Resource="Nowhere" Verbs="List"/></Role></Rbac>',
    })
    const unknown = 'Nothing uses the resource'
    const data = join(folder, 'data-brought')
    const both = await run('check', 'brought', '--data', data)
    expect(both.err.split(unknown)).toHaveLength(3)
    mkdirSync(join(data, 'extensions'), { recursive: true })
    writeFileSync(
      join(data, 'extensions', 'nightly.ts'),
      'export default (engine) => engine.script({ Name: "Nightly", run: () => 1 })',
    )
    for (const words of [
      ['check', 'brought'],
      ['deploy', 'brought'],
    ]) {
      const { code, err } = await run(...words, '--data', data)
      expect(code).toBe(0)
      expect(err).toContain(`${unknown} Nowhere yet`)
      expect(err).not.toContain('Nightly')
    }
  })
})
