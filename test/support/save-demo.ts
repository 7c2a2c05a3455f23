/**
 * `bun save-demo.ts FOLDER [--served]`: makes the demo once for the processes of a whole test run;
 * with `--served` also as the executable makes it.
 */
import { saveServedDemo } from './executable.ts'
import { saveDemo } from './template.ts'

const [folder = '', word] = process.argv.slice(2)
await Promise.all([saveDemo(folder), ...(word === '--served' ? [saveServedDemo(folder)] : [])])
process.exit()
