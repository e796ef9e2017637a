//! Names of the functions in the files that code is from.

use super::Function;
use super::file::Mapping;
use object::SegmentFlags;
use object::elf::PF_X;
use object::read::elf::ElfFile64;
use object::read::{Object, ObjectSegment, ObjectSymbol, ReadCache, SymbolKind};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

const PAGE: u64 = 4096;

/// Functions by their addresses in the process.
#[derive(Debug, Clone, Default)]
pub(super) struct Symbols {
    functions: BTreeMap<u64, Named>,
    /// Mappings of files: what has no symbol is named by its place in the file.
    files: Vec<Mapping>,
}

#[derive(Debug, Clone)]
struct Named {
    end: u64,
    function: Function,
}

impl Symbols {
    pub(super) fn of(mappings: &[Mapping]) -> Self {
        let mut symbols = Self::default();
        for mapping in mappings {
            if let Some(file) = &mapping.file {
                symbols.files.push(mapping.clone());
                // A file that is gone or is no executable has no names to give.
                let _ = symbols.add(file, mapping);
            }
        }
        symbols
    }

    fn add(&mut self, path: &Path, mapping: &Mapping) -> Option<()> {
        let cache = ReadCache::new(File::open(path).ok()?);
        let elf = ElfFile64::<object::Endianness, _>::parse(&cache).ok()?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // How far the file's addresses are from the process's: by the segment of code that is mapped
        // there, from the start of its first page on.
        let is_code = |flags| matches!(flags, SegmentFlags::Elf { p_flags } if p_flags & PF_X != 0);
        let holds = |(start, size): (u64, u64)| {
            (start / PAGE * PAGE..start + size).contains(&mapping.offset)
        };
        let segment = elf
            .segments()
            .find(|segment| is_code(segment.flags()) && holds(segment.file_range()))?;
        let at_offset = segment.address().wrapping_sub(segment.file_range().0);
        let bias = mapping.start.wrapping_sub(at_offset.wrapping_add(mapping.offset));
        for symbol in elf.symbols().chain(elf.dynamic_symbols()) {
            let start = symbol.address().wrapping_add(bias);
            let is_code = symbol.kind() == SymbolKind::Text && symbol.is_definition();
            if !is_code || !(mapping.start..mapping.end).contains(&start) {
                continue;
            }
            if let Ok(symbol_name) = symbol.name() {
                self.functions.entry(start).or_insert_with(|| Named {
                    end: start + symbol.size().max(1),
                    function: Function { name: symbol_name.to_owned(), file: name.clone() },
                });
            }
        }
        Some(())
    }

    pub(super) fn function_at(&self, address: u64) -> Function {
        let before = self.functions.range(..=address).next_back();
        if let Some((_, named)) = before.filter(|(_, named)| address < named.end) {
            return named.function.clone();
        }
        let inside = self.files.iter().find(|m| (m.start..m.end).contains(&address));
        match inside.and_then(|mapping| Some((mapping, mapping.file.as_ref()?))) {
            Some((mapping, file)) => Function {
                name: format!("0x{:x}", address - mapping.start + mapping.offset),
                file: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            },
            None => Function { name: format!("0x{address:x}"), file: String::new() },
        }
    }

    /// Where functions of this symbol begin; if there are none, those whose name in the source is this.
    pub(super) fn addresses(&self, symbol: &str) -> Vec<u64> {
        let where_ = |is_meant: &dyn Fn(&Function) -> bool| -> Vec<u64> {
            let all = self.functions.iter();
            all.filter(|(_, named)| is_meant(&named.function)).map(|(at, _)| *at).collect()
        };
        let exact = where_(&|function| function.name == symbol);
        if exact.is_empty() { where_(&|function| function.readable() == symbol) } else { exact }
    }
}
