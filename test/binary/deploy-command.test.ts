/** `appengine deploy` and `check` of model files. */
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
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
    { name: 'no word', args: ['deploy'], code: 2, err: 'MODELDIR is missing\n' },
  ]
  for (const { name, args, code, err } of refusals)
    test(`${name}: refused`, async () => {
      mkdirSync(join(folder, 'empty'), { recursive: true })
      expect(await run(...args)).toEqual({ code, out: '', err })
    })

  test('check prints query plans and warns of a full scan', async () => {
    writeModel('scan', {
      'kind.xml': KIND,
      'kinds.xml': '<ObjectView Name="Kinds" Entity="Kind" Sort="Label"/>',
    })
    const { code, out, err } = await run('check', 'scan')
    expect(code).toBe(0)
    expect(out).toContain('Kinds\n  SCAN kinds\n')
    expect(err).toBe(
      'warning: kinds.xml:1:1: Kinds reads all of kinds for each page: ' +
        'an Index would avoid that (SCAN kinds)\n',
    )
  })
})
