/** The files of services: what stands in them comes back as the same words. */
import { describe, expect, test } from 'bun:test'
import {
  planLaunchdList,
  planSystemdUnit,
  planWindowsService,
  type ServicePlan,
} from '../../src/commands/service-files.ts'

const plan: ServicePlan = {
  executable: '/usr/local/bin/appengine',
  dataFolder: '/var/lib/appengine',
  words: [],
  user: 'appengine',
  ports: [8080, 0],
  credentials: [],
}

const lines = (of: Partial<ServicePlan>): string[] =>
  planSystemdUnit({ ...plan, ...of }).split('\n')

describe('the unit of systemd', () => {
  test.each([
    [['--port', '8443'], '--port 8443'],
    [['--Svc:A=x y'], '"--Svc:A=x y"'],
    [['--Svc:A=50%'], '--Svc:A=50%%'],
    [['--Svc:A=$HOME'], '"--Svc:A=$$HOME"'],
    [['--Svc:A=a"b\\c'], '"--Svc:A=a\\"b\\\\c"'],
    [['--Svc:A='], '--Svc:A='],
  ])('words %j are written as %s', (words, written) => {
    const start = 'ExecStart=/usr/local/bin/appengine serve --data /var/lib/appengine '
    expect(lines({ words })).toContain(start + written)
  })

  test('a port below 1024 takes one right, any other none', () => {
    expect(lines({ ports: [8443, 80] })).toContain('CapabilityBoundingSet=CAP_NET_BIND_SERVICE')
    expect(lines({})).toContain('CapabilityBoundingSet=')
    expect(lines({})).toContain('PrivateUsers=yes')
  })

  test('the data folder is what it writes to, with secrets beside it', () => {
    expect(lines({})).toContain('StateDirectory=appengine')
    expect(lines({ dataFolder: '/srv/erp' })).toContain('ReadWritePaths=/srv/erp')
    const credentials = ['Svc__Mail__Password:/etc/appengine/mail']
    expect(lines({ credentials })).toContain(`LoadCredential=${credentials[0]}`)
  })
})

test('the list of launchd has each word by itself, as XML', () => {
  const list = planLaunchdList({ ...plan, words: ['--Svc:A=<&>'] })
  expect(list).toContain('<string>serve</string>\n    <string>--data</string>')
  expect(list).toContain('<string>--Svc:A=&lt;&amp;&gt;</string>')
})

test('the file of WinSW quotes words as Windows takes them apart', () => {
  const dataFolder = 'C:\\Program Data\\erp\\'
  const file = planWindowsService({ ...plan, dataFolder, words: ['--Svc:A=a"b'] })
  expect(file).toContain(
    '<arguments>serve --data "C:\\Program Data\\erp\\\\" "--Svc:A=a\\"b"</arguments>',
  )
})
