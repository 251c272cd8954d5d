//! All tests of the crate's public face, in one program: each program would link the compiler again.

mod bad_files;
mod bad_input;
mod branches;
mod core_calls;
mod core_hostile_stores;
mod differential;
mod errors;
mod example;
mod forged_metered;
mod guards;
mod handler_cases;
mod input_bounds;
mod lying_stores;
mod mutated_files;
mod oracle;
mod receipts;
mod support;
