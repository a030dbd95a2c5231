#!/usr/bin/env node
/** Stands where electron-vite expects Electron's program: runs the application's folder on the Chromium host. */
import { endWith, openOnHost } from './host.ts'

// The first argument is the application's folder, which the host knows.
const [, , , ...passedOn] = process.argv
endWith(openOnHost(passedOn))
