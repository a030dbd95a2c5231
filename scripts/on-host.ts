#!/usr/bin/env node
/** Stands where electron-vite expects Electron's program: runs the application's folder on the Chromium host. */
import { spawn } from 'node:child_process'
import { hostArguments } from './host.ts'

// The first argument is the application's folder, which the host knows.
const [, , , ...passedOn] = process.argv
const application = spawn(process.execPath, hostArguments(passedOn), { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => application.kill(signal))
application.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
