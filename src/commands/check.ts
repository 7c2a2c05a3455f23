/** `appengine check MODELDIR`, `appengine check`, `appengine check --audit`. */
import { join, resolve } from 'node:path'
import { counted } from '../kernel/counted.ts'
import { findAuditBase } from '../store/audit/base.ts'
import { type AuditReport, checkAudit } from '../store/audit/check.ts'
import { type AuditHead, readHead, writeHead } from '../store/audit/record.ts'
import type { DatabaseKind } from '../store/engine-tables.ts'
import { checkDatabase } from '../store/file/check-database.ts'
import { openReadOnly } from '../store/file/open.ts'
import { readStoreLimits } from '../store/floor.ts'
import type { Reader } from '../store/store.ts'
import { COLUMNS_MAX } from '../store/write/watch.ts'
import { checkModel } from '../model/compile/check.ts'
import { withoutKnown } from '../model/compile/fault-list.ts'
import type { Untranslated } from '../model/compile/texts.ts'
import { formatDiagnostic } from '../model/deploy/report.ts'
import { readModelFolder } from '../model/parse/folder.ts'
import { AUDIT_FOLDER } from '../engine/audit/archive-file.ts'
import { type ArchivesReport, checkArchives } from '../engine/audit/check-archives.ts'
import { checkMadeFiles, checkStoredFiles, type FilesReport } from '../engine/files/check-files.ts'
import { configure } from '../app.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { explain } from './data-folder.ts'
import { listExtensionResources } from './extension-resources.ts'
import { explainFolder } from './model-files.ts'
import { complain, EXIT, printLine, printResult } from './output.ts'

/** Checks a folder of model files, or the data folder, or with `--audit` its audit log. */
export async function runCheck(args: Arguments): Promise<number> {
  if (args.has('audit')) return runCheckAudit(args)
  const [folder] = args.words
  return folder === undefined ? runCheckData(args) : checkFolder(args, folder)
}

/** Names every fault and warning of a folder of model files; with `--plans` each query plan. */
async function checkFolder(args: Arguments, folder: string): Promise<number> {
  const files = await readModelFolder(folder).catch(explainFolder)
  const { faults, untranslated, plans, ...found } = await checkModel(files)
  const isUnknown = found.warnings.some(({ resource }) => resource !== undefined)
  const known = isUnknown ? await listExtensionResources(args) : new Set<string>()
  const warnings = withoutKnown(found.warnings, known)
  const texts = args.has('texts') ? untranslated.map(formatDiagnostic) : countTexts(untranslated)
  for (const fault of faults) complain(formatDiagnostic(fault))
  for (const warning of [...warnings.map(formatDiagnostic), ...texts])
    complain(`warning: ${warning}`)
  if (args.json) {
    const all = [...warnings, ...untranslated].map(({ place, message }) => ({ place, message }))
    printLine(JSON.stringify({ Faults: faults, Warnings: all, Plans: plans }))
  } else {
    if (args.has('plans'))
      for (const { view, plan } of plans) printLine([view, ...plan.map(indent)].join('\n'))
    const counts = [
      counted(files.length, 'file'),
      counted(faults.length, 'fault'),
      counted(warnings.length + texts.length, 'warning'),
    ]
    printLine(`${counts.join(', ')}.`)
  }
  return faults.length > 0 ? EXIT.failed : EXIT.done
}

/** A line a language: `23 texts are missing in de; --texts lists them`. */
const countTexts = (untranslated: readonly Untranslated[]): string[] =>
  [...Map.groupBy(untranslated, ({ language }) => language)].map(([language, { length }]) => {
    const are = length === 1 ? 'is' : 'are'
    return `${counted(length, 'text')} ${are} missing in ${language}; --texts lists them`
  })

const indent = (line: string): string => `  ${line}`

/**
 * Proves the chain of the audit log, also beside a server: it takes no lock and writes nothing.
 * Prints the head, for an operator to keep elsewhere and give to the next check (`--since`): that
 * alone reveals a log that was written again from the first entry to the last.
 */
async function runCheckAudit(args: Arguments): Promise<number> {
  if (args.words.length > 0) throw new UsageError('--audit takes no MODELDIR')
  const { log, archives } = await proveLog(args, findSince(args))
  const { proven, fault } = log
  printResult(args, [formatProven(log), ...formatArchives(archives)].join('\n'), {
    Entries: proven.count,
    Head: writeHead(proven),
    Fault: fault ? { Id: fault.id ?? null, Message: fault.what } : null,
    Archives: {
      Files: archives.archives,
      Entries: archives.entries,
      Absent: archives.absent.map(([First, Last]) => ({ First, Last })),
      Faults: archives.faults,
    },
  })
  for (const each of archives.faults) complain(each)
  if (fault) complain(fault.id === undefined ? fault.what : `Entry ${fault.id} ${fault.what}`)
  return fault || archives.faults.length > 0 ? EXIT.failed : EXIT.done
}

/** Lines about archives; none where nothing was archived. */
function formatArchives({ archives, entries, absent }: ArchivesReport): string[] {
  const files = counted(archives, 'archive')
  return [
    ...(archives > 0 ? [`${counted(entries, 'entry', 'entries')} in ${files} were proven.`] : []),
    ...absent.map(
      ([first, last]) =>
        `Entries ${first} to ${last} were archived, and their file is not in the folder ` +
        `${AUDIT_FOLDER}: they are not proven.`,
    ),
  ]
}

async function proveLog(
  args: Arguments,
  since: AuditHead | undefined,
): Promise<{ log: AuditReport; archives: ArchivesReport }> {
  const folder = resolve(args.dataFolder)
  const settings = configure({ dataFolder: folder, flags: args.settings })
  const limits = readStoreLimits(settings)
  const reader = await openReadOnly(join(folder, 'engine.db'), limits).catch(explain)
  try {
    const archives = await checkArchives(folder, await findAuditBase(reader), since)
    return { log: await checkAudit(reader, since), archives }
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
  const entries = counted(proven.count, 'entry', 'entries')
  return fault
    ? `${entries} from the first one on are consistent.`
    : `${entries}, and none was changed, removed, inserted or moved.\nHead: ${writeHead(proven)}`
}

/** Longest read of a check, in milliseconds: only the operator who asked waits for it. */
const READ_MS_MAX = 24 * 60 * 60 * 1000
const LIMITS = { readTimeoutMs: READ_MS_MAX, writeTimeoutMs: 0, writerMaxWaitMs: 0 }

const NOTHING: FilesReport = { files: 0, bytes: 0, faults: [] }

/**
 * Says whether the data folder is whole: both databases with every page, reference and table, and
 * every file that they name with every byte. Takes no lock and writes nothing, so it may run beside
 * a server.
 */
async function runCheckData(args: Arguments): Promise<number> {
  if (args.find('since') !== undefined) throw new UsageError('--since goes with --audit')
  const folder = resolve(args.dataFolder)
  const reports = [
    await checkPart(folder, 'engine', (reader) => checkEngine(folder, reader)),
    await checkPart(folder, 'state', (reader) => checkMadeFiles(folder, reader)),
  ]
  const faults = reports.flatMap((report) => report.faults)
  const files = reports.reduce((sum, report) => sum + report.files, 0)
  const bytes = reports.reduce((sum, report) => sum + report.bytes, 0)
  for (const fault of faults) complain(fault)
  const read = `${counted(files, 'file')} (${counted(bytes, 'byte')})`
  const what = `${folder}: both databases and ${read} were read`
  printResult(
    args,
    faults.length === 0 ? `${what}; nothing is damaged.` : `${what}, as far as they are.`,
    {
      Whole: faults.length === 0,
      Files: files,
      Bytes: bytes,
      Faults: faults,
    },
  )
  return faults.length === 0 ? EXIT.done : EXIT.failed
}

/** A database, and if it is sound what it says of files. */
async function checkPart(
  folder: string,
  kind: DatabaseKind,
  checkFiles: (reader: Reader) => Promise<FilesReport>,
): Promise<FilesReport> {
  const file = join(folder, `${kind}.db`)
  const faults = await checkDatabase(file, kind)
  if (faults.length > 0 || !(await Bun.file(file).exists())) return { ...NOTHING, faults }
  const reader = await openReadOnly(file, LIMITS, kind)
  try {
    return await checkFiles(reader)
  } finally {
    await reader.close()
  }
}

/** The files that `engine.db` names, and tables that are too wide to be written. */
async function checkEngine(folder: string, reader: Reader): Promise<FilesReport> {
  const report = await checkStoredFiles(folder, reader)
  const wide = await reader.all<{ name: string; count: number }>({
    sql: WIDE,
    args: { most: COLUMNS_MAX },
    runs: 'lane',
  })
  const faults = wide.map(
    ({ name, count }) =>
      `The table ${name} has ${count} columns; at most ${COLUMNS_MAX} can be written: ` +
      'deploy its entity with fewer',
  )
  return { ...report, faults: [...report.faults, ...faults] }
}

const WIDE = `SELECT t.name AS name, count(*) AS count
  FROM main.sqlite_schema AS t, pragma_table_xinfo(t.name) WHERE t.type = 'table'
  GROUP BY t.name HAVING count(*) > @most`
