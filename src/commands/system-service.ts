/** `appengine service`: the server as a service of this machine. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { LISTENING } from '../server/listening/settings.ts'
import { configure, listParts } from '../app.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { CommandFailure, EXIT, printLine, printResult } from './output.ts'
import {
  planLaunchdList,
  planSystemdUnit,
  planWindowsService,
  SERVICE_NAME,
  type ServicePlan,
} from './service-files.ts'

type Kind = 'systemd' | 'launchd' | 'windows'

/** A manager of services: its file, and the commands that it takes. */
interface Manager {
  write(plan: ServicePlan): string
  /** Path of the file; undefined where the operator chooses it. */
  path: string | undefined
  dataFolder: string
  user: string
  install(plan: ServicePlan, path: string): readonly string[][]
  remove(path: string): readonly string[][]
  status: readonly string[]
}

const UNIT_PATH = `/etc/systemd/system/${SERVICE_NAME}.service`
const LIST_PATH = `/Library/LaunchDaemons/${SERVICE_NAME}.plist`

const MANAGERS: Readonly<Record<Kind, Manager>> = {
  systemd: {
    write: planSystemdUnit,
    path: UNIT_PATH,
    dataFolder: `/var/lib/${SERVICE_NAME}`,
    user: SERVICE_NAME,
    install: ({ user, dataFolder }) => [
      [
        'sh',
        '-c',
        'id "$1" >/dev/null 2>&1 || useradd --system --user-group --no-create-home ' +
          '--home-dir "$2" --shell /usr/sbin/nologin "$1"',
        'sh',
        user,
        dataFolder,
      ],
      ['systemctl', 'daemon-reload'],
      ['systemctl', 'enable', '--now', SERVICE_NAME],
    ],
    remove: () => [['systemctl', 'disable', '--now', SERVICE_NAME]],
    status: ['systemctl', 'status', '--no-pager', SERVICE_NAME],
  },
  launchd: {
    write: planLaunchdList,
    path: LIST_PATH,
    dataFolder: '/usr/local/var/appengine',
    user: '_www',
    install: ({ user, dataFolder }, path) => [
      ['install', '-d', '-m', '700', '-o', user, dataFolder],
      ['launchctl', 'bootstrap', 'system', path],
    ],
    remove: (path) => [['launchctl', 'bootout', 'system', path]],
    status: ['launchctl', 'print', `system/${SERVICE_NAME}`],
  },
  windows: {
    write: planWindowsService,
    path: undefined,
    dataFolder: 'C:\\ProgramData\\appengine',
    user: 'NT AUTHORITY\\LocalService',
    install: () => [],
    remove: () => [],
    status: ['sc.exe', 'query', SERVICE_NAME],
  },
}

const KINDS: Readonly<Partial<Record<NodeJS.Platform, Kind>>> = {
  linux: 'systemd',
  darwin: 'launchd',
  win32: 'windows',
}

/** Prints the file of the service, for this machine or for `--kind`. */
export async function runServicePrint(args: Arguments): Promise<number> {
  const { manager } = findManager(args)
  const file = manager.write(planService(args, manager))
  printResult(args, file.trimEnd(), { path: manager.path ?? null, file })
  return EXIT.done
}

/** Writes the file of the service, and starts it now and with the machine. */
export async function runServiceInstall(args: Arguments): Promise<number> {
  const { manager, path } = requireHere(args)
  const plan = planService(args, manager)
  requireReachable(plan)
  writeFileSync(path, manager.write(plan), { mode: 0o644 })
  for (const words of manager.install(plan, path)) await run(words)
  printResult(args, `The service ${SERVICE_NAME} runs ${plan.executable} by ${path}`, {
    path,
    dataFolder: plan.dataFolder,
  })
  return EXIT.done
}

/** Stops the service and removes its file; the data folder stays. */
export async function runServiceRemove(args: Arguments): Promise<number> {
  const { manager, path } = requireHere(args)
  if (!existsSync(path)) throw new CommandFailure(`There is no service: ${path} does not exist`)
  for (const words of manager.remove(path)) await run(words)
  rmSync(path)
  printResult(args, `The service ${SERVICE_NAME} is removed. Its data folder is left as it is`, {
    path,
  })
  return EXIT.done
}

/** Prints what the manager of services says. */
export async function runServiceStatus(args: Arguments): Promise<number> {
  const { manager } = findManager(args)
  const { code, text } = await ask(manager.status)
  printLine(text.trimEnd())
  return code === 0 ? EXIT.done : EXIT.failed
}

function findManager(args: Arguments): { manager: Manager; kind: Kind } {
  const kind = args.find('kind') ?? KINDS[process.platform]
  if (kind !== 'systemd' && kind !== 'launchd' && kind !== 'windows')
    throw new UsageError('--kind takes systemd, launchd or windows')
  return { manager: MANAGERS[kind], kind }
}

/** The manager of this machine, and the path of its file. */
function requireHere(args: Arguments): { manager: Manager; path: string } {
  const { manager, kind } = findManager(args)
  if (KINDS[process.platform] !== kind)
    throw new CommandFailure(`This machine has no ${kind}. "service print" prints its file`)
  if (manager.path === undefined)
    throw new CommandFailure(
      'Windows runs services by WinSW (https://github.com/winsw/winsw). Save the output of ' +
        '"appengine service print" as appengine-service.xml beside WinSW.exe, renamed to ' +
        'appengine-service.exe, and run "appengine-service install"',
    )
  if (kind === 'systemd' && !existsSync('/run/systemd/system'))
    throw new CommandFailure(
      'This machine is not run by systemd. "appengine service print" prints its unit',
    )
  if (process.getuid?.() !== 0)
    throw new CommandFailure(`${manager.path} is written by root: run this with sudo`)
  return { manager, path: manager.path }
}

function planService(args: Arguments, manager: Manager): ServicePlan {
  const dataFolder = args.find('data') ?? manager.dataFolder
  const settings = configure({ dataFolder: resolve(dataFolder), flags: args.settings })
  requireNoSecret(args)
  const listens = ['host', 'port'].flatMap((flag) => {
    const value = args.find(flag)
    return value === undefined ? [] : [`--${flag}`, value]
  })
  const flags = Object.entries(args.settings).map(([name, value]) => `--${name}=${value}`)
  return {
    executable: args.find('executable') ?? process.execPath,
    dataFolder,
    words: [...listens, ...flags],
    user: args.find('user') ?? manager.user,
    ports: [Number(args.find('port') ?? 0), settings.get(LISTENING.redirectPort)],
    credentials: args.list('credential'),
  }
}

/** The command line of a service is read by every user of its machine. */
function requireNoSecret({ settings }: Arguments): void {
  const declared = listParts().flatMap((part) => (part.settings ?? []).flatMap(Object.values))
  const secrets = new Set(
    declared.flatMap((each) => (each.isSecret === true ? [each.name.toLowerCase()] : [])),
  )
  const given = Object.keys(settings).find((name) => secrets.has(name.toLowerCase()))
  if (given === undefined) return
  const credential = given.replaceAll(':', '__')
  throw new UsageError(
    `${given} is a secret, and every user of the machine reads the words of a service. ` +
      `Give it as --credential ${credential}:FILE, or as ${credential}_File`,
  )
}

/** Folders that the unit hides from the server. */
const HIDDEN = /^\/(?:home|root|run\/user|tmp|var\/tmp)\//

function requireReachable({ executable, dataFolder }: ServicePlan): void {
  for (const path of [executable, `${dataFolder}/`])
    if (HIDDEN.test(path))
      throw new CommandFailure(
        `A service cannot reach ${path}: it sees no home and no shared temporary folder. ` +
          'Put the executable into /usr/local/bin, and the data folder below /var/lib',
      )
}

async function run(words: readonly string[]): Promise<void> {
  const { code, text } = await ask(words)
  if (code !== 0) throw new CommandFailure(`${words.join(' ')} failed: ${text.trim()}`)
}

async function ask(words: readonly string[]): Promise<{ code: number; text: string }> {
  try {
    const child = Bun.spawn([...words], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [out, err] = [new Response(child.stdout).text(), new Response(child.stderr).text()]
    const text = (await Promise.all([out, err])).join('')
    return { code: await child.exited, text }
  } catch (error) {
    throw new CommandFailure(`${words[0]} cannot be run: ${String(error)}`)
  }
}
