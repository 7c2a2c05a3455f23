/** `appengine resume`: lets go what a restored folder holds. */
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { counted } from '../kernel/counted.ts'
import { systemScope } from '../store/store.ts'
import { type Released, releaseHeld } from '../engine/jobs/hold.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { withStores } from './data-folder.ts'
import { CommandFailure, EXIT, printResult } from './output.ts'
import { postToServer } from './remote.ts'

const IN_USE =
  'The data folder is in use. Resume by its server: appengine resume --url URL --token T, with ' +
  'the access token of a System user.'

const PATH = 'api/v1/hangfire/resume'

const SCOPE = systemScope('held work belongs to every company')

/** Lets go held jobs and mails, of a folder that no server holds or of a running server. */
export async function runResume(args: Arguments): Promise<number> {
  const url = args.find('url')
  if (url === undefined && args.has('token')) throw new UsageError('--token goes with --url')
  const { jobs, mails } = url === undefined ? await resumeHere(args) : await resumeAt(args, url)
  const what = `${counted(jobs, 'job')} and ${counted(mails, 'mail')}`
  printResult(args, `Nothing is held any more: ${what} were let go.`, { Jobs: jobs, Mails: mails })
  return EXIT.done
}

const resumeHere = (args: Arguments): Promise<Released> =>
  withStores(
    args,
    ({ store }, { clock }) => store.write((tx) => releaseHeld(tx, clock.now()), SCOPE),
    IN_USE,
  )

const Answer = Type.Object({ Jobs: Type.Integer(), Mails: Type.Integer() })

async function resumeAt(args: Arguments, url: string): Promise<Released> {
  const remote = { url, token: args.require('token') }
  const { data, error, status } = await postToServer(remote, PATH, '{}')
  if (Value.Check(Answer, data)) return { jobs: data.Jobs, mails: data.Mails }
  throw new CommandFailure(error ?? `${url} is not an Application Engine server (status ${status})`)
}
