// Puts the Node that was installed with the packages where npm’s commands find it first. npm does so itself from 11 on; npm 10 takes the
// link away again with the packages of other systems, which carry the same program. Runs on any Node: that is why it isn’t TypeScript.
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const modules = join(process.cwd(), 'node_modules')
const programs = join(modules, '.bin')
const isWindows = process.platform === 'win32'
const link = join(programs, isWindows ? 'node.cmd' : 'node')

const program = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).optionalDependencies ?? {})
  .map((name) => join(modules, name, isWindows ? 'bin/node.exe' : 'bin/node'))
  // npm installs that of this system alone.
  .find((path) => existsSync(path))

if (program && !existsSync(link)) {
  mkdirSync(programs, { recursive: true })
  if (isWindows) writeFileSync(link, `@"%~dp0\\${relative(programs, program)}" %*\r\n`)
  else {
    chmodSync(program, 0o755)
    symlinkSync(relative(programs, program), link)
  }
}
