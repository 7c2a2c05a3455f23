/** `appengine adopt FILE`. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { systemClock } from '../kernel/clock.ts'
import { saveFile } from '../kernel/durable.ts'
import { isOutcomeUnknown } from '../kernel/failure.ts'
import { openSourceFile } from '../store/file/open-source.ts'
import { openReadOnly } from '../store/file/open.ts'
import { SourceError } from '../store/file/source-fault.ts'
import type { SourceFile } from '../store/file/source-file.ts'
import { readStoreLimits } from '../store/floor.ts'
import {
  AdoptionClash,
  type AdoptionResult,
  checkAdoption,
  executeAdoption,
  planDatabase,
  type PlannedAdoption,
} from '../model/adopt/adopt-database.ts'
import { tellCount } from '../model/adopt/column-profile.ts'
import {
  describeAdoption,
  tellLosses,
  toWireAdoption,
  writeReport,
} from '../model/adopt/describe-adoption.ts'
import { LoadError } from '../model/adopt/load-tables.ts'
import { formatDiagnostic } from '../model/deploy/report.ts'
import type { ModelFile } from '../model/parse/parse.ts'
import { RecordFiles } from '../engine/files/record-files.ts'
import { closeStores, openStores, type Stores } from '../server/open-context.ts'
import { configure } from '../app.ts'
import type { Arguments } from './arguments.ts'
import { type HeldFolder, withStores } from './data-folder.ts'
import { nameData, planNextSteps } from './next-steps.ts'
import { CommandFailure, complain, EXIT, printLine } from './output.ts'
import { quoteWord } from './shell-word.ts'

/** The report, beside the files of the model. */
const REPORT = 'adopted.md'

/** Writes a model of an SQLite database and takes its rows over: all of it or nothing. */
export async function runAdopt(args: Arguments): Promise<number> {
  const path = resolve(args.word(0))
  const title = basename(path).replace(/\.[^.]*$/, '')
  const folder = resolve(args.words[1] ?? `${title}-model`)
  try {
    using source = await openSourceFile(path)
    return args.has('dry-run')
      ? await rehearse(args, source, { title, folder })
      : await adopt(args, source, { title, folder })
  } catch (error) {
    const isTold = [SourceError, AdoptionClash, LoadError].some((kind) => error instanceof kind)
    if (isTold && error instanceof Error) throw new CommandFailure(error.message, { cause: error })
    throw error
  }
}

/**
 * Takes the rows over into a folder that goes again, so that it meets all that the adoption would.
 * Takes no lock in the data folder and makes none, so it also runs beside a server.
 */
async function rehearse(
  args: Arguments,
  source: SourceFile,
  { title, folder }: { title: string; folder: string },
): Promise<number> {
  const data = resolve(args.dataFolder)
  const file = join(data, 'engine.db')
  const limits = readStoreLimits(configure({ dataFolder: data, flags: args.settings }))
  const reader = existsSync(file) ? await openReadOnly(file, limits) : undefined
  try {
    const planned = await planDatabase(source, title, reader)
    requireOwnFolder(folder, planned.files)
    const faults = await checkAdoption(planned, reader)
    const result = faults.length > 0 ? { taken: [], faults } : await tryRows(args, source, planned)
    if (!args.json)
      for (const { name, body } of planned.files) printLine(`<!-- ${name} -->\n${body}`)
    const words = ['appengine', 'adopt', ...args.words].map(quoteWord)
    const next = [`${words.join(' ')}${nameData(args)}`]
    return tell(args, planned, { ...result, outcome: 'Nothing was changed', next })
  } finally {
    await reader?.close()
  }
}

async function tryRows(
  args: Arguments,
  source: SourceFile,
  planned: PlannedAdoption,
): Promise<AdoptionResult> {
  const folder = mkdtempSync(join(tmpdir(), 'appengine-adopt-'))
  try {
    const settings = configure({ dataFolder: folder, flags: args.settings })
    const stores = await openStores(folder, settings, { info: complain, warn: complain })
    try {
      const files = new RecordFiles(folder)
      const target = { store: stores.store, clock: systemClock, files, onReady: () => undefined }
      return await executeAdoption(source, planned, target)
    } finally {
      await closeStores(stores)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function adopt(
  args: Arguments,
  source: SourceFile,
  { title, folder }: { title: string; folder: string },
): Promise<number> {
  const work = async ({ store }: Stores, held: HeldFolder): Promise<number> => {
    const { clock } = held
    const planned = await planDatabase(source, title, store)
    const files = new RecordFiles(held.folder)
    let written: string[] = []
    const undo = async (error?: unknown): Promise<void> => {
      written.forEach((name) => rmSync(join(folder, name), { force: true }))
      // Rows may name the files after all; the sweep of a server knows later.
      if (!isOutcomeUnknown(error)) await files.undo()
    }
    const onReady = (): void => {
      written = writeFiles(folder, planned.files)
    }
    const target = { store, clock, files, onReady }
    const result = await executeAdoption(source, planned, target).catch(async (error: unknown) => {
      await undo(error)
      throw error
    })
    const next = await planNextSteps(store, planned.names.role, args)
    if (result.faults.length > 0) await undo()
    else saveFile(join(folder, REPORT), writeReport(title, planned, { ...result, next }))
    const outcome = `The model is in ${folder}, with this report`
    return tell(args, planned, { ...result, outcome, next })
  }
  return withStores(args, work)
}

/**
 * Writes the files into a folder that holds no other model; resolves to the names of the new ones.
 * Files that a killed run has left there are the same to the letter.
 */
function writeFiles(folder: string, files: readonly ModelFile[]): string[] {
  requireOwnFolder(folder, files)
  mkdirSync(folder, { recursive: true })
  const missing = files.filter(({ name }) => !existsSync(join(folder, name)))
  for (const { name, body } of missing) saveFile(join(folder, name), body)
  return missing.map(({ name }) => name)
}

/** Throws CommandFailure for a folder with files of another model. */
function requireOwnFolder(folder: string, files: readonly ModelFile[]): void {
  if (!existsSync(folder)) return
  const names = new Set(files.map(({ name }) => name))
  const strange = readdirSync(folder).find((name) => /\.xml$/i.test(name) && !names.has(name))
  const isOther = ({ name, body }: ModelFile): boolean => {
    const path = join(folder, name)
    return existsSync(path) && readFileSync(path, 'utf8') !== body
  }
  const other = strange ?? files.find(isOther)?.name
  if (other !== undefined)
    throw new CommandFailure(`${folder} holds another model (${other}): name another folder`)
}

interface ToldAdoption extends AdoptionResult {
  /** A sentence without its full stop. */
  outcome: string
  /** The commands that come next. */
  next: readonly string[]
}

function tell(
  args: Arguments,
  planned: PlannedAdoption,
  { taken, faults, outcome, next }: ToldAdoption,
): number {
  for (const fault of faults) complain(formatDiagnostic(fault))
  if (faults.length > 0) return EXIT.failed
  if (args.json) {
    const files = planned.files.map(({ name, body }) => ({ FileName: name, Body: body }))
    printLine(JSON.stringify({ ...toWireAdoption(planned, taken), Files: files, Next: next }))
    return EXIT.done
  }
  for (const line of describeAdoption(planned, taken)) printLine(line)
  const rows = taken.reduce((sum, table) => sum + table.rows, 0)
  const size = `${tellCount(taken.length, 'table')} with ${tellCount(rows, 'row')}`
  printLine(`${size}. ${tellLosses(planned, taken)} ${outcome}.`)
  printLine(['\nNext:', ...next].join('\n  '))
  return EXIT.done
}
