/** Parsing and compiling of scripts, with the text that a start reads, wherever it is done. */
import { type Compiled, compileModel } from './compile.ts'
import type { FaultyScript } from './faulty-scripts.ts'
import { explainReport, type ReportPlans } from './query-plans.ts'
import type { Script } from '../compiled/script.ts'
import { type ModelFile, type ParsedFile, parseModelFiles } from '../parse/parse.ts'
import { writeModel } from '../snapshot/model-snapshot.ts'
import { watchedTables } from '../watched-tables.ts'

/** The results of a compilation that a deploy needs. */
export interface CompiledScripts extends Pick<Compiled, 'model' | 'faults' | 'warnings'> {
  /** Returns the model as text. Rejects without a model. */
  snapshot: () => Promise<string>
  /** Query plans of the report to explain; undefined where there are faults. */
  plans: ReportPlans | undefined
}

/**
 * Compiles scripts, beside others that have faults of their own; see `compileModel`. `explained`
 * names a report whose datasets are answered with their query plans.
 */
export type CompileScripts = (
  scripts: readonly Script[],
  faulty: readonly FaultyScript[],
  explained?: string,
) => Promise<CompiledScripts>

/** The compiler from files to a model: while a server runs, beside the thread that serves. */
export interface Compiler {
  /** See `parseModelFiles`. */
  parse: (files: readonly ModelFile[]) => Promise<ParsedFile[]>
  compile: CompileScripts
}

/** Compiles in this process, which does nothing else meanwhile. */
export const compileHere: CompileScripts = async (scripts, faulty, explained) => {
  const { model, faults, warnings } = await compileModel(scripts, faulty)
  const snapshot = async (): Promise<string> => {
    if (!model) throw new Error('A model with faults has no snapshot')
    return writeModel({ model, watched: watchedTables(model) })
  }
  const report = explained === undefined ? undefined : model?.reports.get(explained)
  const plans = model && report && (await explainReport(report, model))
  return { model, faults, warnings, snapshot, plans }
}

/** Compiler in this process: for commands that do not serve. */
export const COMPILER_HERE: Compiler = { parse: parseModelFiles, compile: compileHere }
