Object.assign(globalThis, { fromSetupFile: 'set up' });
