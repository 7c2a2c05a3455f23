/** `bun save-demo.ts FOLDER`: makes the demo once for the processes of a whole test run. */
import { saveDemo } from './template.ts'

await saveDemo(process.argv[2] ?? '')
process.exit()
