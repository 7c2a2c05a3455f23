/** `appengine check --audit`. */
import { join, resolve } from 'node:path'
import { readHead, writeHead } from '../store/audit-record.ts'
import type { AuditHead } from '../store/audit-record.ts'
import { checkAudit } from '../store/audit-check.ts'
import type { AuditReport } from '../store/audit-check.ts'
import { openReadOnly } from '../store/open.ts'
import { UsageError } from './arguments.ts'
import type { Arguments } from './arguments.ts'
import { explain } from './data-folder.ts'
import { complain, EXIT, printResult } from './output.ts'
import { readStoreLimits } from '../store/floor.ts'
import { configure } from '../app.ts'

/**
 * Proves the chain of the audit log, also beside a server: it takes no lock and writes nothing.
 * Prints the head, for an operator to keep elsewhere and give to the next check (`--since`): that
 * alone shows a log that somebody has written anew from the first entry to the last.
 */
export async function runCheckAudit(args: Arguments): Promise<number> {
  if (args.words.length > 0) throw new UsageError('--audit takes no MODELDIR')
  const report = await proveLog(args, findSince(args))
  const { proven, fault } = report
  printResult(args, formatProven(report), {
    Entries: proven.count,
    Head: writeHead(proven),
    Fault: fault ? { Id: fault.id ?? null, Message: fault.what } : null,
  })
  if (!fault) return EXIT.done
  complain(fault.id === undefined ? fault.what : `Entry ${fault.id} ${fault.what}`)
  return EXIT.failed
}

async function proveLog(args: Arguments, since: AuditHead | undefined): Promise<AuditReport> {
  const folder = resolve(args.dataFolder)
  const settings = configure({ dataFolder: folder, flags: args.settings })
  const limits = readStoreLimits(settings)
  const reader = await openReadOnly(join(folder, 'engine.db'), limits).catch(explain)
  try {
    return await checkAudit(reader, since)
  } finally {
    await reader.close()
  }
}

function findSince(args: Arguments): AuditHead | undefined {
  const text = args.find('since')
  if (text === undefined) return undefined
  const head = readHead(text)
  if (!head) throw new UsageError('--since takes the head that an earlier check printed')
  return head
}

function formatProven({ proven, fault }: AuditReport): string {
  const entries = proven.count === 1 ? '1 entry' : `${proven.count} entries`
  return fault
    ? `${entries} from the first one on hold together.`
    : `${entries}, and none was changed, removed, inserted or moved.\nHead: ${writeHead(proven)}`
}
